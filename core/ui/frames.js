const frame = () => new Promise(requestAnimationFrame);

// Until what was done is drawn, and the timers that it set have run.
async function rest() {
  await frame();
  await frame();
  await new Promise((resolve) => setTimeout(resolve));
}
