export default function ({ data }) {
  if (document.getElementById("in-browser")) return;

  // A rerun that fails in a callback draws nothing else, so the rules have to outlive what drew them.
  const style = document.createElement("style");
  style.id = "in-browser";
  style.textContent = data.rules;
  document.head.append(style);

  // The same address as the one that Streamlit asks for later, beside its own script, so that it is loaded once.
  const own = document.querySelector("script[type=module][src]");
  if (own && data.cellEditor) import(new URL(data.cellEditor, own.src)).catch(() => {});

  // Back takes back one click or key, whatever it changed: Streamlit would make a step of every widget that follows,
  // and of the page without its edits.
  const push = history.pushState;
  let isStep = false;
  for (const action of ["pointerdown", "keydown"]) window.addEventListener(action, () => { isStep = true; }, true);
  window.addEventListener("popstate", () => { isStep = false; }, true);
  history.pushState = (...entry) => {
    (isStep ? push : history.replaceState).apply(history, entry);
    isStep = false;
  };

  // A double click opens the editor of a cell. Where one has typed before, the grid takes the focus back from it at
  // once and again a moment later: it would show a single digit that is typed then, and forget it.
  const cellEditor = "textarea.gdg-input", ends = ["Enter", "Tab", "Escape"];
  let typesInCell = false;
  document.addEventListener("pointerdown", ({ target }) => { typesInCell = target.matches(cellEditor); }, true);
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(cellEditor)) typesInCell = true;
    else if (typesInCell && target.closest("canvas")) document.querySelector(cellEditor)?.focus();
  });

  // The editor of a cell takes up a digit, and closes after Enter, a moment later. Where the browser is busy drawing
  // what the number before has changed, the keys of that moment would be lost: from Enter on, they wait for it here.
  const keys = [];
  let isTypingOn = false;
  document.addEventListener("keydown", (event) => {
    const { isTrusted, isComposing, target, key } = event;
    if (!isTrusted || isComposing || !(isTypingOn || (target.matches(cellEditor) && ends.includes(key)))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keys.push(event);
    if (!isTypingOn) typeOn();
  }, true);
  const until = async (holds) => {
    for (let frames = 0; frames < 120 && !holds(frames); frames++) await new Promise(requestAnimationFrame);
  };
  const type = async ({ key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey }) => {
    const editor = document.querySelector(cellEditor), isCharacter = key.length === 1 && !ctrlKey && !metaKey;
    editor?.focus();
    if (editor && (isCharacter || key === "Backspace")) {
      document.execCommand(isCharacter ? "insertText" : "delete", false, key);
      return;
    }
    await until((frames) => frames === 2);
    if (ends.includes(key)) typesInCell = false;
    const again = { key, code, keyCode, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true };
    (editor ?? document.activeElement)?.dispatchEvent(new KeyboardEvent("keydown", again));
    if (editor && ends.includes(key)) await until(() => !editor.isConnected);
    else if (isCharacter) await until(() => document.activeElement?.matches(cellEditor));
  };
  const typeOn = async () => {
    isTypingOn = true;
    try {
      while (keys.length) await type(keys.shift());
    } finally {
      isTypingOn = false;
    }
  };

  // On a phone, the list of pages covers half of the page, or of the dialog, that was chosen in it.
  const isPhone = matchMedia("(max-width: 640px)");
  const leadsAway = "[data-testid=stSidebar] :is([data-testid=stPageLink] a, .st-key-lecture button, .st-key-files button)";
  document.addEventListener("click", ({ target }) => {
    if (!isPhone.matches || !target.closest(leadsAway)) return;
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  });

  // What an edit did, or why it cannot be used, stands where no screen reader looks. It reads out what changes here.
  const told = document.createElement("div");
  told.id = "told";
  told.setAttribute("role", "status");
  document.body.append(told);
  new MutationObserver(() => {
    const line = document.querySelector(".st-key-effect, .st-key-refused, .st-key-verdict");
    const parts = line ? [...line.querySelectorAll(".stMarkdown, .stText")] : [];
    const words = parts.filter((part) => !part.querySelector(".stMarkdownBadge")).map((part) => part.textContent).join(" ");
    if (words !== told.textContent) told.textContent = words;
  }).observe(document.body, { subtree: true, childList: true, characterData: true });

  // Escape closes an open list. Streamlit would have it press the button for that key, too, which leaves the presenter view.
  let closesList = false;
  document.addEventListener("keydown", ({ key }) => {
    closesList = key === "Escape" && document.querySelector("[role=listbox]") !== null;
  }, true);
  document.body.addEventListener("keydown", (event) => closesList && event.stopPropagation());
}
