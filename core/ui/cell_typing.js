// Every key that is typed into a cell counts, however busy the browser is. in_browser.js calls this once.
//
// The grid loses keys: what is typed while it opens the editor of a cell, and the whole number where Enter comes before
// the timer that it sets with the key before. So keys wait here while an editor opens or closes, and are typed in order.
// They wait, too, after a click on a cell, until its grid has the focus: that comes a frame later.
//
// As in a spreadsheet, an arrow leaves a cell that one began to type into, and Backspace empties one that is selected.
const grids = "[class*=st-key-editor-] [data-testid=stDataFrame]";
const cellsOfGrids = "[class*=st-key-editor-] canvas";  // the cell that it says has the focus may be the one before
const cellEditor = "textarea.gdg-input";
const editor = () => document.querySelector(cellEditor);

const isCharacter = ({ key, ctrlKey, metaKey }) => key.length === 1 && !ctrlKey && !metaKey;
const isEnd = ({ key }) => ["Enter", "Tab", "Escape"].includes(key);
const isArrow = ({ key, ctrlKey, metaKey, shiftKey, altKey }) => key.startsWith("Arrow") && !ctrlKey && !metaKey && !shiftKey && !altKey;
const empties = ({ key, target }) => key === "Backspace" && target.closest(cellsOfGrids);

function typeInOrder() {
  const typed = {
    keys: [],  // that wait
    isTyping: false,
    isInCell: false,  // the focus belongs to the editor of a cell, whoever else takes it
    overwrites: false, isEntered: false,  // whether a character opened the editor, or Enter does so
    clicked: null,  // the grid that was clicked and has not got the focus yet
  };
  noteClickedGrid(typed);
  keepEditorFocused(typed);
  document.addEventListener("keydown", (event) => {
    const { isTrusted, isComposing, target } = event;
    if (!isTrusted || isComposing) return;
    const opens = isCharacter(event) && (typed.clicked || target.closest(cellsOfGrids)) && !editor();
    const closes = (isEnd(event) || (typed.overwrites && isArrow(event))) && target.matches(cellEditor);
    if (!typed.isTyping && !editor()) typed.overwrites = false;
    if (!typed.isTyping && !opens && !closes && !empties(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    typed.keys.push(event);
    if (!typed.isTyping) typeAll(typed);
  }, true);
  return typed;
}

function noteClickedGrid(typed) {
  document.addEventListener("click", async ({ target }) => {
    const grid = target.closest(grids);
    typed.clicked = grid;
    await until(() => grid !== typed.clicked || !grid || grid.contains(document.activeElement), 20);
    if (grid === typed.clicked) typed.clicked = null;
  }, true);
}

async function typeAll(typed) {
  typed.isTyping = true;
  try {
    while (typed.keys.length) await type(typed, typed.keys.shift());
  } finally {
    typed.isTyping = false;
  }
}

async function type(typed, event) {
  await until(() => !typed.clicked);
  if (!editor()) await rest();
  const open = editor();
  open?.focus();
  if (open && (isCharacter(event) || event.key === "Backspace")) {
    document.execCommand(isCharacter(event) ? "insertText" : "delete", false, event.key);
    return;
  }
  if (open) await rest();
  if (isEnd(event)) typed.isInCell = false;
  const isLeft = open && typed.overwrites && isArrow(event);
  if (isLeft) await haveTaken(typed, open);
  const { key } = press(isLeft ? document.activeElement : open ?? document.activeElement, event, open);
  if (!isCharacter(event)) typed.isEntered = !open && key === "Enter";
  if (open && isEnd(event)) await until(() => !open.isConnected);
  else if (isCharacter(event)) {
    typed.overwrites = !typed.isEntered;
    const seemsEditable = !document.activeElement.matches("[aria-readonly=true]");
    await until(() => document.activeElement.matches(cellEditor), seemsEditable ? 120 : 20);
  }
}

// The key as the browser would bring it. The grid empties a selected cell by Delete, not by Backspace.
function press(element, event, open) {
  const { shiftKey, ctrlKey, metaKey, altKey } = event;
  const { key, code, keyCode } = open || event.key !== "Backspace" ? event : { key: "Delete", code: "Delete", keyCode: 46 };
  const again = { key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true };
  element?.dispatchEvent(new KeyboardEvent("keydown", again));
  return again;
}

// A press beside its editor has the grid take what was typed, and stay where it is.
async function haveTaken(typed, open) {
  typed.isInCell = false;
  document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  await until(() => !open.isConnected);
  await until(() => document.activeElement.closest(cellsOfGrids), 20);
}

async function until(holds, most = 120) {
  for (let frames = 0; frames < most && !holds(); frames++) await frame();
}

// A double click opens the editor of a cell, too. Where one has typed before, the grid takes the focus back from it at
// once and again a moment later: it would show a single digit that is typed then, and forget it.
function keepEditorFocused(typed) {
  let isTouched = false;
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    typed.isInCell = target.matches(cellEditor);
    isTouched = pointerType !== "mouse";
    typed.overwrites = false;
  }, true);
  // A finger's tap opens an editor before the browser makes a press of a mouse of it, which would take the focus away.
  document.addEventListener("mousedown", (event) => {
    const { target } = event, open = editor();
    if (isTouched && open && target !== open && (target.contains(open) || target.closest(grids))) event.preventDefault();
  }, true);
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(cellEditor)) typed.isInCell = true;
    else if (typed.isInCell && target.closest("canvas")) editor()?.focus();
  });
}
