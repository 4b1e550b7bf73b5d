// The grid cuts a block of cells that does not fit, lies on names, or brings names along, without a word. in_browser.js calls this once;
// tell(block) has the page say so.
const MARKED = 250;  // milliseconds until the grid has marked the cell to which one has gone, if nothing comes in between
const SETTLED = 36;  // frames without a change, after which it has; a busy browser has fewer in a second

function tellOfWhatIsCut(tell) {
  const cellsOf = (text) => {
    const flat = text.replace(/"([^"]*)"/g, (_, quoted) => quoted.replace(/\s/g, " "));
    return flat.replace(/[\t\r\n]+$/, "").split(/\r?\n/).map((row) => row.split("\t"));
  };
  const filled = (cells) => cells.findLastIndex((cell) => cell.trim()) + 1;  // what is empty behind them is not missed
  const plain = (cell) => cell.normalize("NFKC").replace(/[\u200b\u2060\ufeff]/g, "");
  const isNumber = (cell) => /^\s*[-+\u2212\u2013]?[.,]?\d/.test(plain(cell));
  const placeOf = ({ id }) => id.match(/\d+/g).map(Number);

  let wentAt = -MARKED;
  for (const action of ["pointerdown", "keydown"]) {
    document.addEventListener(action, ({ key }) => {
      if (!["Control", "Meta", "v", "V"].includes(key)) wentAt = performance.now();
    }, true);
  }

  document.addEventListener("paste", async ({ target, clipboardData }) => {
    const text = clipboardData.getData("text/plain");
    const isUsed = performance.now() - wentAt < MARKED;  // by the page, before it is told
    const editor = target.closest("[class*=st-key-editor-]"), cells = target.closest("canvas");
    if (!editor || !cells) return;
    await (isUsed ? settled(cells) : new Promise((resolve) => setTimeout(resolve)));
    look(editor, cells, text, isUsed);
  }, true);

  const marked = (cells) => [...cells.querySelectorAll("[role=gridcell][aria-selected=true]")];
  const settled = async (cells) => {
    let before;
    for (let frames = 0; frames < SETTLED && cells.isConnected; frames++) {
      await frame();
      const now = marked(cells).map(({ id }) => id).join();
      if (now !== before || isDrawing()) frames = 0;
      before = now;
    }
  };

  const look = (editor, cells, text, isUsed) => {
    const selected = marked(cells).map(placeOf);
    if (!selected.length) return;
    const [column, row] = [0, 1].map((side) => Math.min(...selected.map((place) => place[side])));
    const pasted = cellsOf(text);
    const block = { row, column, rows: pasted.length, columns: pasted.reduce((most, cells) => Math.max(most, filled(cells)), 1) };
    const grid = cells.querySelector("[role=grid]");
    const [rows, columns] = ["row", "col"].map((side) => grid.getAttribute(`aria-${side}count`));
    const fits = row + block.rows < rows && column + block.columns <= columns;  // the names of columns are a row, too
    const [above, ...below] = pasted, left = below.map(([first]) => first);
    const areNames = (cells) => cells.some((cell) => cell.trim()) && !cells.some(isNumber);
    const named = below.flat().some(isNumber) && (areNames(above) || (column > 0 && areNames(left)));
    if (fits && column > 0 && !named) return;
    const names = column > 0 ? [] : pasted.slice(0, rows - row).map(([name]) => name.slice(0, 100));
    tell({ matrix: editor.className.match(/st-key-editor-(\w+)/)[1], ...block, names, named, is_used: isUsed });
  };
}
