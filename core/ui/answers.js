// The answers to what the page asks for. in_browser.js calls this once.
const SAID = 250;  // milliseconds, in which the grid says what was typed, or a click asks: 150, but for a busy browser
const LONGEST_WAIT = 3000;  // milliseconds, for an answer that may never come
const STILL = 6;  // frames, in which the page shows that an answer has begun, however busy the browser is

function noteAnswers() {
  let clickedAt = -Infinity, askedAt = -Infinity, heardAt = -Infinity;
  window.addEventListener("click", () => { clickedAt = performance.now(); });  // what it asks for is sent a moment later
  const hear = () => { heardAt = performance.now(); };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (...asked) {
    askedAt = performance.now();
    this.addEventListener("message", hear);  // once: it is the same each time
    return send.apply(this, asked);
  };
  const mayBeOnTheirWay = () => {
    const now = performance.now();
    return now - askedAt < LONGEST_WAIT || now - clickedAt < SAID;
  };
  const areDrawn = async (isSteady = () => true) => {
    for (let still = 0; still < STILL && mayBeOnTheirWay();) {
      await frame();
      still = heardAt < askedAt || isDrawing() || !isSteady() ? 0 : still + 1;
    }
  };
  // What was done just now may be asked for a moment later; not all of it is.
  const toThisAreDrawn = async (isSteady) => {
    const doneAt = performance.now();
    while (askedAt < doneAt && performance.now() - doneAt < SAID) await frame();
    await areDrawn(isSteady);
  };
  return { mayBeOnTheirWay, areDrawn, toThisAreDrawn };
}
