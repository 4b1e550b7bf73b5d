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

  // On a phone, the list of pages covers half of the one that was chosen.
  const isPhone = matchMedia("(max-width: 640px)");
  document.addEventListener("click", ({ target }) => {
    if (!isPhone.matches || !target.closest("[data-testid=stSidebar] [data-testid=stPageLink] a")) return;
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  });
}
