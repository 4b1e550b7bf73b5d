// Another page or view comes piece by piece, its charts too wide at first and its matrices empty. What was there before stays in
// view, as a picture, until all that is on the screen is drawn. in_browser.js calls this once.
const LONGEST_HOLD = 2000;  // milliseconds

function holdUntilDrawn(answers, besideStages) {
  if (!document.startViewTransition) return;
  let held, wasThere;  // the last picture, and what could be pressed where it was taken
  const pressable = "a, button, label, input";
  const hold = async () => {
    held?.skipTransition();
    wasThere = new Set(document.querySelectorAll(pressable));
    const picture = held = document.startViewTransition();
    for (const shown of [picture.ready, picture.finished]) shown.catch(() => {});  // not in a tab that is out of sight
    const isLong = new Promise((resolve) => setTimeout(resolve, LONGEST_HOLD));
    await Promise.race([answers.toThisAreDrawn(whatIsSeenIsSteady()), isLong]);
    picture.skipTransition();
  };

  const isBesideStages = (step) => besideStages.includes(stepsToChoose()[step]?.textContent);
  const leadsToOrFromThem = (step) => stepsToChoose()[step] && (isBesideStages(step) || isBesideStages(stepInView()));

  const buttons = ":is(.st-key-present, .st-key-leave, .st-key-back) button";
  document.addEventListener("click", ({ target, defaultPrevented }) => {
    if (defaultPrevented) return;  // it waits for what is typed, and comes again
    if (target.closest(`${pageLink}, ${buttons}`) || leadsToOrFromThem(stepOf(target))) hold();
    const isExperiment = target.closest("[role=option]") && document.querySelector(".st-key-experiment [aria-expanded=true]");
    if (isExperiment) setTimeout(hold);  // the list is closed by then
  }, true);
  document.addEventListener("keydown", ({ key, isTrusted }) => {
    if (!document.querySelector(".st-key-leave")) return;
    const isStep = !isTrusted && key in steps;  // that of a clicker comes when it counts
    const leadsAway = () => document.querySelector(".st-key-back") || leadsToOrFromThem(stepInView() + steps[key]);
    const leaves = () => key === "Escape" && !document.querySelector("[role=listbox]");  // which it would close
    if (leaves() || (isStep && leadsAway())) hold();
  }, true);
  window.addEventListener("popstate", () => {
    if (location.pathname !== path) hold();
  });

  for (const action of ["pointerdown", "wheel", "touchmove"]) {  // which are to be seen at once
    window.addEventListener(action, () => held?.skipTransition(), { capture: true, passive: true });
  }
  // A click on the picture goes to no part of the page. It is meant for what is seen there, if that is still there.
  window.addEventListener("click", async ({ target, isTrusted, clientX, clientY }) => {
    if (!isTrusted || !held || target !== document.documentElement) return;
    await held.finished;
    const pressed = document.elementFromPoint(clientX, clientY)?.closest(pressable);
    if (wasThere.has(pressed)) pressed.click();
  }, true);
}

const stepsToChoose = () => [...document.querySelectorAll(".st-key-stage [role=radio]")];
const stepInView = () => stepsToChoose().findIndex((step) => step.ariaChecked === "true");
const stepOf = (target) => target.closest(".st-key-next") ? stepInView() + 1
  : target.closest(".st-key-previous") ? stepInView() - 1
  : stepsToChoose().indexOf(target.closest("[role=radio]"));

// Whether nothing on the screen has changed its place since this was asked last.
function whatIsSeenIsSteady() {
  let places;
  return () => {
    const before = places;
    places = placesOnScreen();
    return places && places === before;
  };
}

// Where all that is on the screen is; nothing, while a drawing is not there.
function placesOnScreen() {
  const isOnScreen = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return element.checkVisibility() && bottom > 0 && top < innerHeight;
  };
  const drawings = "[data-testid=stVegaLiteChart], [data-testid=stDataFrame], [data-testid=stSkeleton]";
  const placeOf = (element) => element?.getBoundingClientRect();
  const drawn = [...document.querySelectorAll(drawings)].filter(isOnScreen)
    .map((drawing) => placeOf(drawing.querySelector(".marks, canvas")));
  const parts = [...document.querySelectorAll(".stMain .stElementContainer")].filter(isOnScreen).map(placeOf);
  return drawn.every((place) => place?.width) && JSON.stringify([...drawn, ...parts]);
}
