// What is typed into a cell counts, whatever is clicked next. in_browser.js calls this once.
//
// The grid says a while later what was typed: a click that leads elsewhere, or turns the grid, would lose it. It waits,
// first of all for keys that wait themselves (cell_typing.js).
// A click that leads to another page waits for the answer, too, to what was typed or clicked: before it comes, the link of
// this page does not say so, and Back would lead to the page as it was. So does Back itself, which would take back the step
// before along, and have what comes late put on top of it.
const pageLink = "[data-testid=stPageLink] a";

function keepWhatIsTyped(answers, typed) {
  const pressable = "a, button, label, summary";
  let typedAt = -Infinity, held = null, wait = 0;
  const isUnsaid = () => typed.isTyping || performance.now() - typedAt < SAID;
  const untilSaid = () => isUnsaid() ? SAID : 0;
  for (const action of ["pointerdown", "keydown"]) {
    document.addEventListener(action, () => { if (editor()) typedAt = performance.now(); }, true);
  }
  for (const action of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
    document.addEventListener(action, (event) => {
      if (!event.isTrusted) return;
      if (action === "pointerdown") {
        const opensTab = event.ctrlKey || event.metaKey || event.shiftKey;
        wait = untilSaid();
        const isWaiting = wait || (event.target.closest(pageLink) && answers.mayBeOnTheirWay());
        held = isWaiting && !opensTab && !event.target.closest(grids) ? event.target.closest(pressable) : null;
      }
      const byKey = action === "click" && event.detail === 0;
      if (byKey && answers.mayBeOnTheirWay()) held = event.target.closest(pageLink);
      if (!held) return;
      event.stopPropagation();  // the grid hears of it all the same, and closes its editor
      if (action === "mousedown" && typed.isTyping) event.preventDefault();  // the keys are for what has the focus now
      if (action !== "click") return;
      event.preventDefault();
      if (held.contains(event.target)) pressLater(held, wait);
      held = null;
    }, true);
  }
  document.addEventListener("keydown", () => { held = null; wait = untilSaid(); }, true);  // a click by key
  haveBackWait(() => isUnsaid() || answers.mayBeOnTheirWay(), async () => {
    await until(() => !isUnsaid());
    await answers.areDrawn();
  });
  let pressedLast;
  const pressLater = async (element, wait) => {
    const { href } = element, leadsAway = element.matches(pageLink), press = pressedLast = {};
    if (wait) await until(() => !typed.isTyping);
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (leadsAway) {
      await answers.areDrawn();
      if (press !== pressedLast) return;  // it led elsewhere than what was pressed after it
      element = [...document.querySelectorAll(pageLink)].find((link) => link.href === href) ?? element;  // drawn anew
    }
    window.dispatchEvent(new Event("pointerdown"));  // for Back to lead to what was typed
    (element.control ?? element).click();  // that of a label
  };

  // No answer can come any more while a page is left: the browser asks first.
  window.addEventListener("beforeunload", (event) => { if (editor() || isUnsaid()) event.preventDefault(); });
}

// A frame cannot hold Back up, nor can a browser without this interface.
function haveBackWait(mustWait, untilAnswered) {
  let waiting = 0, isGoing = false;  // entries of the history
  window.navigation?.addEventListener("navigate", async (event) => {
    const { navigationType, destination, cancelable } = event;
    if (navigationType !== "traverse") return;
    const way = destination.index - navigation.currentEntry.index;
    if (isGoing || way > 0 || !cancelable || !mustWait()) {
      isGoing = false;
      return;
    }
    event.preventDefault();
    const isFirst = waiting === 0;
    waiting += way;
    if (!isFirst) return;
    await untilAnswered();
    isGoing = true;
    history.go(waiting);
    waiting = 0;
  });
}
