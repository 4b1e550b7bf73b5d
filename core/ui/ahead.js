// A toggle shows what it makes of the heatmap with the click, from what the server has sent ahead (ahead.py). in_browser.js
// calls this once.
//
// The answer of the server then takes its place. Where that says nothing new, as after a toggle that was turned and turned
// back in one breath, what was drawn before is shown again.
function showTogglesAtOnce(answers) {
  let drawn;  // the cells as the server had them drawn last
  let newest;  // click, whose answer counts: that of one before may be found drawn only after it
  document.addEventListener("click", async (click) => {
    const { target, defaultPrevented } = click;
    if (defaultPrevented) return;  // it waits for what is typed, and comes again
    const place = placeOfAhead(), toggle = place && toggleOf(target, place.ahead);
    const view = toggle && viewOfStage();
    const sent = view && place.ahead[toggle];
    if (!sent) return;
    const seen = JSON.parse(sent), cells = view.data("cells");
    if (seen.shade.length !== cells.length) return;
    if (!cells[0].isAhead) drawn = cells;
    newest = click;
    place.ahead = onlyTheWayBack(place.ahead, toggle, seen, cells);
    show(view, cells.map((cell, at) => ({ ...cell, ...ofCell(seen, at), isAhead: true })));
    await new Promise((resolve) => setTimeout(resolve, SAID));
    await answers.areDrawn();
    const now = viewOfStage();
    if (newest === click && now?.data("cells")[0].isAhead) show(now, drawn);
  }, true);
}

const placeOfAhead = () => [...document.querySelectorAll(".st-key-ahead *")].find(({ ahead }) => ahead);

// Of the presenter view, the pills stand in the order of what is sent ahead.
function toggleOf(target, ahead) {
  const names = Object.keys(ahead), pill = target.closest(".st-key-switches button");
  if (pill) return names[[...pill.parentElement.querySelectorAll("button")].indexOf(pill)];
  const label = target.closest("label");
  return label?.querySelector("input:enabled") && names.find((name) => label.closest(`.st-key-${name}`));
}

// Vega keeps the view of a chart with the items that it has drawn.
function viewOfStage() {
  const items = [...document.querySelectorAll("[class*=st-key-cells] svg.marks g")];
  return items.find(({ __data__: item }) => item?.context?.dataflow)?.__data__.context.dataflow;
}

const ofCell = (seen, at) => Object.fromEntries(Object.entries(seen).map(([name, column]) => [name, column[at]]));

// What else was sent ahead is of the toggles as they were.
function onlyTheWayBack(ahead, toggle, seen, cells) {
  const before = Object.fromEntries(Object.keys(seen).map((name) => [name, cells.map((cell) => cell[name])]));
  return Object.fromEntries(Object.keys(ahead).map((name) => [name, name === toggle ? JSON.stringify(before) : undefined]));
}

function show(view, cells) {
  view.data("cells", cells.map((cell) => Object.fromEntries(Object.entries(cell))));  // without the numbers Vega gave them
  view.runAsync();
}
