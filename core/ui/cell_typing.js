// Every key that is typed into a cell counts, however busy the browser is. in_browser.js calls this once.
//
// The grid loses keys: what is typed while it opens the editor of a cell, and the whole number where Enter comes before
// the timer that it sets with the key before. So keys wait here while an editor opens or closes, and are typed in order.
// They wait, too, after a click on a cell, until its grid has the focus: that comes a frame later.
const SAID = 250;  // milliseconds, in which the grid says what was typed: 150, but for a busy browser

function typeInOrder() {
  const cellEditor = "textarea.gdg-input";
  const grids = "[class*=st-key-editor-] [data-testid=stDataFrame]";
  const cells = "[class*=st-key-editor-] canvas";  // the cell that it says has the focus may be the one before
  const editor = () => document.querySelector(cellEditor);
  const seemsEditable = () => !document.activeElement.matches("[aria-readonly=true]");
  const isCharacter = ({ key, ctrlKey, metaKey }) => key.length === 1 && !ctrlKey && !metaKey;
  const isEnd = ({ key }) => ["Enter", "Tab", "Escape"].includes(key);

  const keys = [];
  let isTyping = false, typesInCell = false;
  let clicked = null;  // the grid that was clicked and has not got the focus yet
  document.addEventListener("click", async ({ target }) => {
    const grid = target.closest(grids);
    clicked = grid;
    await until(() => grid !== clicked || !grid || grid.contains(document.activeElement), 20);
    if (grid === clicked) clicked = null;
  }, true);
  document.addEventListener("keydown", (event) => {
    const { isTrusted, isComposing, target } = event;
    if (!isTrusted || isComposing) return;
    const opens = isCharacter(event) && (clicked || target.closest(cells)) && !editor();
    const closes = isEnd(event) && target.matches(cellEditor);
    if (!isTyping && !opens && !closes) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keys.push(event);
    if (!isTyping) typeAll();
  }, true);

  const typeAll = async () => {
    isTyping = true;
    try {
      while (keys.length) await type(keys.shift());
    } finally {
      isTyping = false;
    }
  };
  const type = async (event) => {
    await until(() => !clicked);
    if (!editor()) await rest();
    const open = editor();
    open?.focus();
    if (open && (isCharacter(event) || event.key === "Backspace")) {
      document.execCommand(isCharacter(event) ? "insertText" : "delete", false, event.key);
      return;
    }
    if (open) await rest();
    if (isEnd(event)) typesInCell = false;
    const { key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey } = event;
    const again = { key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true };
    (open ?? document.activeElement)?.dispatchEvent(new KeyboardEvent("keydown", again));
    if (open && isEnd(event)) await until(() => !open.isConnected);
    else if (isCharacter(event)) await until(() => document.activeElement.matches(cellEditor), seemsEditable() ? 120 : 20);
  };
  // The grid says a while later what was typed: a click that leads elsewhere, or turns the grid, would lose it. It waits.
  const pressable = "a, button, label, summary";
  let typedAt = -SAID, held = null;
  for (const action of ["pointerdown", "keydown"]) {
    document.addEventListener(action, () => { if (editor()) typedAt = performance.now(); }, true);
  }
  for (const action of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
    document.addEventListener(action, (event) => {
      if (!event.isTrusted) return;
      if (action === "pointerdown") {
        const opensTab = event.ctrlKey || event.metaKey || event.shiftKey;
        const isWaiting = performance.now() - typedAt < SAID && !opensTab && !event.target.closest(grids);
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

  const until = async (holds, most = 120) => {
    for (let frames = 0; frames < most && !holds(); frames++) await frame();
  };

  // A double click opens the editor of a cell, too. Where one has typed before, the grid takes the focus back from it at
  // once and again a moment later: it would show a single digit that is typed then, and forget it.
  document.addEventListener("pointerdown", ({ target }) => { typesInCell = target.matches(cellEditor); }, true);
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(cellEditor)) typesInCell = true;
    else if (typesInCell && target.closest("canvas")) editor()?.focus();
  });
}
