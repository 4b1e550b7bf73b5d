// The grid cuts a block of cells that does not fit, without a word. in_browser.js calls this once; tell(block) has the
// page say so.
function tellOfWhatIsCut(tell) {
  const sizeOf = (text) => {
    const rows = text.replace(/"[^"]*"/g, "").replace(/\r?\n$/, "").split(/\r?\n/);
    return { rows: rows.length, columns: Math.max(...rows.map((row) => row.split("\t").length)) };
  };
  const placeOf = ({ id }) => id.match(/\d+/g).map(Number);

  document.addEventListener("paste", ({ target, clipboardData }) => {
    const editor = target.closest("[class*=st-key-editor-]"), cells = target.closest("canvas");
    const selected = [...(cells?.querySelectorAll("[role=gridcell][aria-selected=true]") ?? [])].map(placeOf);
    if (!editor || !selected.length) return;
    const [column, row] = [0, 1].map((side) => Math.min(...selected.map((place) => place[side])));
    const block = { row, column, ...sizeOf(clipboardData.getData("text/plain")) };
    const grid = cells.querySelector("[role=grid]");
    const [rows, columns] = ["row", "col"].map((side) => grid.getAttribute(`aria-${side}count`));
    if (row + block.rows < rows && column + block.columns <= columns) return;  // the names of columns are a row, too
    tell({ matrix: editor.className.match(/st-key-editor-(\w+)/)[1], ...block });
  }, true);
}
