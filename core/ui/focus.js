// Who goes by keyboard stays where a key was pressed. What the key changes is drawn anew, disabled or taken away, and the
// focus would fall back to the beginning of the page. in_browser.js calls this once, and what it returns at every change.
function keepFocus() {
  const next = {  // from a button that is gone or disabled: the first of these that is not; never to Reset
    previous: ["stage"], next: ["stage"], undo: ["decimals"], hide: ["undo", "decimals"], clear: ["query"],
    keep: ["compare"], forget: ["keep"], end: ["what_if"], "make-edit": ["undo"], back: ["experiment"], present: ["next", "back"], leave: ["present"],
  };
  const usable = (key) => {
    const noHelp = ":not([aria-label^=Help])";  // whose words would open and cover others
    const all = document.querySelectorAll(`.st-key-${CSS.escape(key)} :is(button, input)${noHelp}`);
    const found = [...all].filter(isUsable);
    return found.find((element) => element.matches("[data-selected]")) ?? found[0];
  };
  const linkTo = (title) => [...document.querySelectorAll(".stPageLink a")].find((link) => link.textContent === title);
  const isUsable = (element) => element.checkVisibility({ visibilityProperty: true }) && element.matches("a, :enabled")
    && !element.closest("[inert]");  // as all behind a dialog is
  const usableOf = (...finds) => finds.map((find) => find?.()).find((found) => found && isUsable(found));
  // The menu of a narrow window: its button goes when it opens, and what is in it when it closes. A dialog was opened there.
  const inMenu = () => document.querySelector("[data-testid=stSidebarCollapseButton] button");
  const toMenu = () => document.querySelector("[data-testid=stExpandSidebarButton]");

  let held, behind, opener, again, around, given, byKey = false, isAsked = false;
  document.addEventListener("keydown", () => { byKey = true; given = undefined; }, true);
  document.addEventListener("pointerdown", () => { byKey = false; }, true);
  document.addEventListener("focusin", ({ target }) => {
    const key = target.closest(".stElementContainer")?.className.match(/st-key-(\S+)/)?.[1];
    const title = target.textContent;
    const dialog = target.closest("[role=dialog]");
    if (dialog && !opener) opener = held;
    if (!dialog) opener = undefined;
    held = target;
    behind = undefined;
    around = dialog ? () => usableOf(() => opener, toMenu)
      : target.closest("[data-testid=stExpandSidebarButton]") ? inMenu
      : target.closest("[data-testid=stSidebar]") ? toMenu : undefined;
    again = target.matches(".stPageLink a") ? () => linkTo(title)
      : key && target.matches("button, input") ? () => [key, ...next[key] ?? []].map(usable).find(Boolean)
      : undefined;
  });
  const goOn = () => {
    isAsked = false;
    if (held?.closest("[inert]")) behind = held;
    const isLost = document.activeElement === document.body && held && (behind || !isUsable(held));
    const isOfBefore = given === document.activeElement && given.matches("[role=radio]:not([data-selected])");
    if (!isLost && !isOfBefore) return;
    given = document.querySelector("[role=dialog]") ?? usableOf(() => behind, again, around);
    given?.focus();
    if (document.activeElement !== given) given?.focus();  // a group of buttons gives it to the one that had it last
  };
  const ask = () => {
    if (isAsked || !byKey) return;
    isAsked = true;
    requestAnimationFrame(() => requestAnimationFrame(goOn));  // by then the browser has taken the focus away
  };
  document.addEventListener("focusout", ask);  // unless it is busy, and takes it away later
  return ask;
}
