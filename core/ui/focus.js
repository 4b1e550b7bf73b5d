// Who goes by keyboard stays where a key was pressed. What the key changes is drawn anew, disabled or taken away, and the
// focus would fall back to the beginning of the page. in_browser.js calls this once, and what it returns at every change.
function keepFocus() {
  const next = {  // from a button that is gone or disabled: the first of these that is not; never to Reset
    previous: ["next"], next: ["previous"], undo: ["decimals"], hide: ["undo", "decimals"], clear: ["query"],
    keep: ["compare"], forget: ["keep"], end: ["what_if"], "make-edit": ["undo"], back: ["experiment"], present: ["next", "back"], leave: ["present"],
  };
  const usable = (key) => {
    const noHelp = ":not([aria-label^=Help])";  // whose words would open and cover others
    const all = document.querySelectorAll(`.st-key-${CSS.escape(key)} :is(button, input)${noHelp}`);
    const found = [...all].filter(isUsable);
    return found.find((element) => element.matches("[data-selected]")) ?? found[0];
  };
  const linkTo = (title) => [...document.querySelectorAll(".stPageLink a")].find((link) => link.textContent === title);
  const isUsable = (element) => element.checkVisibility() && element.matches("a, :enabled");

  let held, again, byKey = false, isAsked = false;
  document.addEventListener("keydown", () => { byKey = true; }, true);
  document.addEventListener("pointerdown", () => { byKey = false; }, true);
  document.addEventListener("focusin", ({ target }) => {
    const key = target.closest(".stElementContainer")?.className.match(/st-key-(\S+)/)?.[1];
    const title = target.textContent;
    held = target;
    again = target.matches(".stPageLink a") ? () => linkTo(title)
      : key && target.matches("button, input") ? () => [key, ...next[key] ?? []].map(usable).find(Boolean)
      : undefined;
  });
  const goOn = () => {
    isAsked = false;
    if (document.activeElement === document.body && held && !isUsable(held)) again?.()?.focus();
  };
  const ask = () => {
    if (isAsked || !byKey) return;
    isAsked = true;
    requestAnimationFrame(() => requestAnimationFrame(goOn));  // by then the browser has taken the focus away
  };
  document.addEventListener("focusout", ask);  // unless it is busy, and takes it away later
  return ask;
}
