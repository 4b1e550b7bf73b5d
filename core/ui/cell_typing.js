// Every key that is typed into a cell counts, however busy the browser is. in_browser.js calls this once.
//
// The grid loses keys: what is typed while it opens the editor of a cell, and the whole number where Enter comes before
// the timer that it sets with the key before. So keys wait here while an editor opens or closes, and are typed in order.
// They wait, too, after a click on a cell, until its grid has the focus: that comes a frame later.
//
// As in a spreadsheet, an arrow leaves a cell that one began to type into, and Backspace empties one that is selected.
const grids = "[class*=st-key-editor-] [data-testid=stDataFrame]";
const cellEditor = "textarea.gdg-input";
const editor = () => document.querySelector(cellEditor);

function typeInOrder() {
  const cells = "[class*=st-key-editor-] canvas";  // the cell that it says has the focus may be the one before
  const seemsEditable = () => !document.activeElement.matches("[aria-readonly=true]");
  const isCharacter = ({ key, ctrlKey, metaKey }) => key.length === 1 && !ctrlKey && !metaKey;
  const isEnd = ({ key }) => ["Enter", "Tab", "Escape"].includes(key);
  const isArrow = ({ key, ctrlKey, metaKey, shiftKey, altKey }) => key.startsWith("Arrow") && !ctrlKey && !metaKey && !shiftKey && !altKey;
  const empties = ({ key, target }) => key === "Backspace" && target.closest(cells);

  const keys = [];
  let isTyping = false, typesInCell = false;
  let overwrites = false, isEntered = false;  // whether a character opened the editor, or Enter does so
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
    const closes = (isEnd(event) || (overwrites && isArrow(event))) && target.matches(cellEditor);
    if (!isTyping && !editor()) overwrites = false;
    if (!isTyping && !opens && !closes && !empties(event)) return;
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
    const isLeft = open && overwrites && isArrow(event);
    if (isLeft) await haveTaken(open);
    const { shiftKey, ctrlKey, metaKey, altKey } = event;
    const { key, code, keyCode } = open || event.key !== "Backspace" ? event : { key: "Delete", code: "Delete", keyCode: 46 };
    const again = { key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true };
    (isLeft ? document.activeElement : open ?? document.activeElement)?.dispatchEvent(new KeyboardEvent("keydown", again));
    if (!isCharacter(event)) isEntered = !open && key === "Enter";
    if (open && isEnd(event)) await until(() => !open.isConnected);
    else if (isCharacter(event)) {
      overwrites = !isEntered;
      await until(() => document.activeElement.matches(cellEditor), seemsEditable() ? 120 : 20);
    }
  };
  // A press beside its editor has the grid take what was typed, and stay where it is.
  const haveTaken = async (open) => {
    typesInCell = false;
    document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    await until(() => !open.isConnected);
    await until(() => document.activeElement.closest(cells), 20);
  };
  const until = async (holds, most = 120) => {
    for (let frames = 0; frames < most && !holds(); frames++) await frame();
  };

  // A double click opens the editor of a cell, too. Where one has typed before, the grid takes the focus back from it at
  // once and again a moment later: it would show a single digit that is typed then, and forget it.
  let isTouched = false;
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    typesInCell = target.matches(cellEditor);
    isTouched = pointerType !== "mouse";
    overwrites = false;
  }, true);
  // A finger's tap opens an editor before the browser makes a press of a mouse of it, which would take the focus away.
  document.addEventListener("mousedown", (event) => {
    const { target } = event, open = editor();
    if (isTouched && open && target !== open && (target.contains(open) || target.closest(grids))) event.preventDefault();
  }, true);
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(cellEditor)) typesInCell = true;
    else if (typesInCell && target.closest("canvas")) editor()?.focus();
  });
}
