const frame = () => new Promise(requestAnimationFrame);

// Whether an answer of the server is being drawn, or asked for.
const isDrawing = () => document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";

// Until what was done is drawn, and the timers that it set have run.
async function rest() {
  await frame();
  await frame();
  await new Promise((resolve) => setTimeout(resolve));
}
