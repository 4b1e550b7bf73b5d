// Every key of a clicker is one step, in the presenter view, whatever was clicked or typed into before: a slider or a number
// would take it for a step of its own. in_browser.js calls this once.
//
// Some clickers send arrows to the right and left. Those belong to what is set by arrows, and to who walks by keys from one
// button to the next.
//
// Of two keys that come while the browser is busy, Streamlit makes one message, which counts for one of them. So each waits
// until the one before has been sent. A list that is open, or was closed last, would have them typed into it; an open menu
// would cover what they lead to.
//
// In an experiment a key shows what is below the screen, or above it, and then the next way or the one before; PageDown behind
// all of it leads back to the stages, and PageUp, if it comes next, to where that was. PageUp before all of it leads back to the
// stages, too, and further back if it comes next. An answer that was on its way may set the
// choice back to the way before, until the page is drawn once more (deploy/session.py). So a key counts from what the key before
// has chosen.
const CHOICE_SETTLES = 5000;  // milliseconds
const NOTHING_TO_SEE = 24;  // pixels, of the margin below a page
const SHARE_OF_SCREEN = 0.8;

const steps = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };
const keysOfSteps = { 1: { key: "PageDown", code: "PageDown", keyCode: 34 }, [-1]: { key: "PageUp", code: "PageUp", keyCode: 33 } };
const setByArrows = "input, canvas, [role=slider], [role=radio], [role=option], [role^=menuitem]";
let walksByTab = false;  // until something is clicked
const isOfClicker = ({ key, isTrusted, target, altKey, ctrlKey, metaKey, shiftKey }) =>
  isTrusted && key in steps && !(altKey || ctrlKey || metaKey || shiftKey)
  && !(key.startsWith("Arrow") && (walksByTab || target.matches(setByArrows)));

const choices = ".st-key-way, .st-key-writing, .st-key-draw, .st-key-look_along";  // of which an experiment has one
const ways = () => [...document.querySelectorAll(`.st-key-experiment-view :is(${choices}) [role=radio]`)];
const wayInView = () => ways().findIndex((way) => way.ariaChecked === "true");

function countKeysOfClicker(answers) {
  const waiting = [];  // steps
  let isPressing = false;
  const goOn = goOnInExperiment(answers);
  document.addEventListener("pointerdown", () => { walksByTab = false; }, true);
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key === "Tab") walksByTab = true;
    if (!isOfClicker(event) || !document.querySelector(".st-key-leave")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (target.matches("input, [role=slider]") || key.startsWith("Arrow")) target.blur();  // which closes a list, too, and takes a number up
    document.querySelector(".st-key-what-if-menu button[aria-expanded=true]")?.click();
    waiting.push(steps[key]);
    if (!isPressing) pressAll();
  }, true);

  const pressAll = async () => {
    isPressing = true;
    try {
      while (waiting.length) await takeStep(waiting.shift(), goOn);
    } finally {
      isPressing = false;
    }
  };
}

async function takeStep(step, goOn) {
  if (!await goOn(step)) {
    for (const action of ["keydown", "keyup"]) {
      document.body.dispatchEvent(new KeyboardEvent(action, { ...keysOfSteps[step], bubbles: true }));
    }
  }
  await rest();
}

// What goes a step on in an experiment, or back, and tells whether there was one.
function goOnInExperiment(answers) {
  let chosen = 0, chosenAt = -Infinity;  // the way that a key has chosen last
  let left = 0;  // the step with which the last key has left the experiment
  document.addEventListener("click", ({ isTrusted }) => {
    if (isTrusted) [chosenAt, left] = [-Infinity, 0];
  }, true);
  const mayBeSetBack = () => performance.now() - chosenAt < CHOICE_SETTLES;

  return async (direction) => {
    if (left) {
      const isTurning = left > 0 && direction < 0;
      left = 0;
      await answers.areDrawn();
      return isTurning && goBackIn();
    }
    if (!document.querySelector(".st-key-experiment-view")) return false;
    if (await scrollOn(answers, direction)) return true;
    const next = (mayBeSetBack() ? chosen : wayInView()) + direction;
    if (!ways()[next]) {
      const back = document.querySelector(".st-key-back button");  // none where this is an answer
      if (back) left = direction;
      if (direction < 0) back?.click();  // on the other key the button itself waits
      return left < 0;
    }
    while (wayInView() === next && mayBeSetBack()) await frame();  // a click on what is chosen does nothing
    [chosen, chosenAt] = [next, performance.now()];
    ways()[next]?.click();  // unless the page has changed meanwhile
    document.querySelector(".stMain").scrollTop = 0;
    return true;
  };
}

function goBackIn() {
  const reopen = document.querySelector(".st-key-back-to-experiment button");
  reopen?.click();
  return Boolean(reopen);
}

async function scrollOn(answers, direction) {
  const main = document.querySelector(".stMain");
  const isMoreToSee = () => {
    const below = main.scrollHeight - main.clientHeight - main.scrollTop;
    return (direction > 0 ? below : main.scrollTop) > NOTHING_TO_SEE;
  };
  if (isMoreToSee()) await answers.areDrawn();  // it may be of the way before
  if (!isMoreToSee()) return false;
  main.scrollBy({ top: direction * SHARE_OF_SCREEN * main.clientHeight, behavior: "instant" });
  return true;
}

// The key of a clicker that makes a screen black, for a hall that is to look elsewhere. Any key or click brings it back.
function blackOut() {
  const black = document.createElement("div");
  black.id = "black";
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey }) => {
    const wasBlack = black.isConnected;
    black.remove();
    const isAsked = ["b", "B", "."].includes(key) && !ctrlKey && !metaKey && !target.matches("input");
    if (isAsked && !wasBlack && document.querySelector(".st-key-leave")) document.body.append(black);
  }, true);
  document.addEventListener("pointerdown", () => black.remove(), true);
}
