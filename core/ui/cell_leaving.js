// What is typed into a cell counts, whatever is clicked next. in_browser.js calls this once.
//
// The grid says a while later what was typed: a click that leads elsewhere, or turns the grid, would lose it. It waits.
const SAID = 250;  // milliseconds, in which the grid says what was typed: 150, but for a busy browser

function keepWhatIsTyped() {
  const pressable = "a, button, label, summary";
  let typedAt = -SAID, held = null;
  const isUnsaid = () => performance.now() - typedAt < SAID;
  for (const action of ["pointerdown", "keydown"]) {
    document.addEventListener(action, () => { if (editor()) typedAt = performance.now(); }, true);
  }
  for (const action of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
    document.addEventListener(action, (event) => {
      if (!event.isTrusted) return;
      if (action === "pointerdown") {
        const opensTab = event.ctrlKey || event.metaKey || event.shiftKey;
        const isWaiting = isUnsaid() && !opensTab && !event.target.closest(grids);
        held = isWaiting ? event.target.closest(pressable) : null;
      }
      if (!held) return;
      event.stopPropagation();  // the grid hears of it all the same, and closes its editor
      if (action !== "click") return;
      event.preventDefault();
      if (held.contains(event.target)) setTimeout(press, SAID, held);
      held = null;
    }, true);
  }
  document.addEventListener("keydown", () => { held = null; }, true);  // a key clicks without a pointer
  const press = (element) => {
    window.dispatchEvent(new Event("pointerdown"));  // for Back to lead to what was typed
    (element.control ?? element).click();  // that of a label
  };

  // No answer can come any more while a page is left: the browser asks first.
  window.addEventListener("beforeunload", (event) => { if (editor() || isUnsaid()) event.preventDefault(); });
}
