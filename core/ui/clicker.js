// Every key of a clicker is one step, in the presenter view. in_browser.js calls this once.
//
// Of two keys that come while the browser is busy, Streamlit makes one message, which counts for one of them. So each waits
// until the one before has been sent. A list that was closed last would have them typed into it.
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
      for (const action of ["keydown", "keyup"]) {
        document.body.dispatchEvent(new KeyboardEvent(action, { key, code, keyCode, bubbles: true }));
      }
      await rest();
    }
    isPressing = false;
  };
}
