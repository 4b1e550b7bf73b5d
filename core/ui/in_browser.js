let tell;  // of the page in view; what is done once outlives it
let path = new URL(performance.getEntriesByType("navigation")[0].name).pathname;

// On a phone, the list of pages covers half of the page, of the dialog or of the what-if that was chosen in it.
const isPhone = matchMedia("(max-width: 768px)");
const closeList = () => {
  const open = "[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton] button";
  if (isPhone.matches) document.querySelector(open)?.click();
};

export default function ({ data, setTriggerValue }) {
  tell = setTriggerValue;
  if (location.pathname !== path) closeList();  // where a page was chosen before this was there, too
  path = location.pathname;
  if (document.getElementById("in-browser")) return;

  // A rerun that fails in a callback draws nothing else, so the rules have to outlive what drew them.
  const style = document.createElement("style");
  style.id = "in-browser";
  style.textContent = data.rules;
  document.head.append(style);

  // The same address as the one that Streamlit asks for later, beside its own script, so that it is loaded once.
  const own = document.querySelector("script[type=module][src]");
  if (own && data.cellEditor) import(new URL(data.cellEditor, own.src)).catch(() => {});

  document.addEventListener("pointerover", ({ target }) => {
    for (const [key, hint] of Object.entries(data.hints)) target.closest(`.st-key-${key}`)?.setAttribute("title", hint);
  });

  haveBackUndoOneStep();
  const typed = typeInOrder();
  const answers = noteAnswers();
  keepWhatIsTyped(answers, typed);
  holdUntilDrawn(answers, data.besideStages);
  showTogglesAtOnce(answers);
  tellOfWhatIsCut((block) => tell("block", block));
  if (window !== window.top) followFrame();
  closeListByWhatIsIn();
  haveTapsHitLargeDrawings();
  hideTablesOfWhatIsGone();
  const menu = () => document.querySelector("[data-testid=stExpandSidebarButton]:not([aria-label=Menu])");
  const backToFocus = keepFocus(), readOut = tellWhatChanges();
  const follow = () => {
    backToFocus();
    readOut();
    menu()?.setAttribute("aria-label", "Menu");  // as it is called on the screen; who speaks to the browser says that
    document.documentElement.classList.toggle("edited", document.querySelector(".st-key-edits") !== null);
  };
  follow();  // what is there already is not new
  new MutationObserver(follow).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["disabled", "inert"] });
  haveEscapeDoOneThing();
  countKeysOfClicker(answers);
  blackOut();
}

// Back takes back one click or key, whatever it changed. Streamlit would make a step of every widget that follows, and
// of the page without its edits; and none of a toggle or a stage, which would go with the edit before it. To keep A is
// none: A is kept, wherever Back leads.
function haveBackUndoOneStep() {
  const { pushState, replaceState } = history;
  let isStep = false;
  for (const action of ["pointerdown", "keydown"]) {
    window.addEventListener(action, ({ target }) => { isStep = !target.closest?.(".st-key-keep"); }, true);
  }
  window.addEventListener("popstate", () => { isStep = false; }, true);
  history.pushState = history.replaceState = (...entry) => {
    (isStep ? pushState : replaceState).apply(history, entry);
    isStep = false;
  };
}

function closeListByWhatIsIn() {
  const lecture = ".st-key-lecture button, .st-key-files button, .st-key-keep button, .st-key-compare [role=radio]";
  const leadsAway = `[data-testid=stSidebar] :is(${pageLink}, ${lecture})`;
  document.addEventListener("click", ({ target, defaultPrevented }) => {  // asked before what is clicked is drawn anew
    if (defaultPrevented) return;  // it waits for what is typed, and comes again
    const isWhatIf = target.closest("[role=option]") && document.querySelector(".st-key-what_if [aria-expanded=true]");
    if (isWhatIf || target.closest(leadsAway)) setTimeout(closeList);
  }, true);
}

// Of a click on a canvas, Vega takes what a pointer was over last: nothing where one taps, whose pointer has left before.
function haveTapsHitLargeDrawings() {
  const drawing = "[data-testid=stVegaLiteChart] canvas";
  document.addEventListener("mousedown", ({ target, clientX, clientY }) => {
    if (target.matches(drawing)) target.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
  }, true);
  document.addEventListener("click", ({ target, pointerType }) => {
    if (pointerType === "touch" && target.matches(drawing)) target.dispatchEvent(new PointerEvent("pointerout"));
  });
}

// A number's table stays where it was when its cell is scrolled away, over whatever comes there, until another is pointed at:
// a swipe that begins on a cell brings one, and no finger leaves it.
function hideTablesOfWhatIsGone() {
  const hide = () => document.getElementById("vg-tooltip-element")?.classList.remove("visible");
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("pointerdown", ({ target }) => target.closest?.("[data-testid=stVegaLiteChart]") || hide(), true);
}

// What an edit did, or why it cannot be used, stands where no screen reader looks; and so does what is said of a stage that
// was chosen far below. It reads out what changes here. What a page opens with it comes to by itself, be it drawn in two goes.
function tellWhatChanges() {
  let last = "", isTouched = false;
  for (const action of ["keydown", "pointerdown", "click"]) document.addEventListener(action, () => { isTouched = true; }, true);
  const told = document.createElement("div");
  told.id = "told";
  told.setAttribute("role", "status");
  document.body.append(told);
  return () => {
    const line = document.querySelector(".st-key-effect, .st-key-refused, .st-key-verdict");
    const parts = line ? [...line.querySelectorAll(".stMarkdown, .stText")] : [];
    const words = parts.filter((part) => !part.querySelector(".stMarkdownBadge")).map((part) => part.textContent).join(" ");
    const said = words || (document.querySelector(".st-key-one-stage .stMarkdown p")?.textContent ?? "");
    if (!said || said === last) return;
    if (words || (last && isTouched)) told.textContent = said;
    last = said;
  };
}

function haveEscapeDoOneThing() {
  // It closes an open list. Streamlit would have it press the button for that key, too, which leaves the presenter view.
  let closesList = false;
  document.addEventListener("keydown", ({ key }) => {
    closesList = key === "Escape" && document.querySelector("[role=listbox]") !== null;
  }, true);
  document.body.addEventListener("keydown", (event) => closesList && event.stopPropagation());

  // It closes a dialog, too, whose button for a file is gone with the focus when the file is there.
  document.addEventListener("keydown", ({ key, target }) => {
    if (key === "Escape" && target === document.body) document.querySelector("[role=dialog] [aria-label=Close]")?.click();
  });
}

// Inside another page, what stays at the bottom of the screen would be below that page's window where the frame is higher.
function followFrame() {
  const frame = document.createElement("div");
  frame.id = "frame";
  document.body.append(frame);
  document.documentElement.classList.add("framed");
  new IntersectionObserver((seen) => {
    const unseen = innerHeight - seen.at(-1).intersectionRect.bottom;
    document.documentElement.style.setProperty("--unseen", `${Math.max(0, unseen)}px`);
  }, { threshold: Array.from({ length: 101 }, (_, percent) => percent / 100) }).observe(frame);
}
