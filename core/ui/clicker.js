// Every key of a clicker is one step, in the presenter view. in_browser.js calls this once.
//
// Of two keys that come while the browser is busy, Streamlit makes one message, which counts for one of them. So each waits
// until the one before has been sent. A list that was closed last would have them typed into it.
//
// In an experiment a key shows what is below the screen, or above it, and then the next way or the one before; PageDown behind
// all of it leads back to the stages.
const NOTHING_TO_SEE = 24;  // pixels, of the margin below a page
const SHARE_OF_SCREEN = 0.8;

function countKeysOfClicker() {
  const keys = [];
  let isPressing = false;
  document.addEventListener("keydown", (event) => {
    const { key, isTrusted, target } = event;
    if (!isTrusted || !["PageDown", "PageUp"].includes(key) || !document.querySelector(".st-key-leave")) return;
    const inClosedList = target.matches("[role=combobox][aria-expanded=false]");
    if (target.matches("input, textarea") && !inClosedList) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (inClosedList) target.blur();
    keys.push(event);
    if (!isPressing) pressAll();
  }, true);

  const pressAll = async () => {
    isPressing = true;
    while (keys.length) {
      const { key, code, keyCode } = keys.shift();
      if (!goOnInExperiment(key === "PageDown" ? 1 : -1)) {
        for (const action of ["keydown", "keyup"]) {
          document.body.dispatchEvent(new KeyboardEvent(action, { key, code, keyCode, bubbles: true }));
        }
      }
      await rest();
    }
    isPressing = false;
  };

  const goOnInExperiment = (direction) => {
    const experiment = document.querySelector(".st-key-experiment-view");
    if (!experiment) return false;
    const main = document.querySelector(".stMain");
    const unseen = direction > 0 ? main.scrollHeight - main.clientHeight - main.scrollTop : main.scrollTop;
    if (unseen > NOTHING_TO_SEE) {
      main.scrollBy({ top: direction * SHARE_OF_SCREEN * main.clientHeight, behavior: "instant" });
      return true;
    }
    const ways = [...experiment.querySelectorAll(".st-key-way [role=radio]")];
    const next = ways[ways.findIndex((way) => way.ariaChecked === "true") + direction];
    if (!next) return false;
    next.click();
    main.scrollTop = 0;
    return true;
  };
}
