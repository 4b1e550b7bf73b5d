export default function ({ data }) {
  if (document.getElementById("at-hand")) return;

  // A rerun that fails in a callback draws nothing else, so the rules have to outlive what drew them.
  const style = document.createElement("style");
  style.id = "at-hand";
  style.textContent = data.rules;
  document.head.append(style);

  // The same address as the one that Streamlit asks for later, beside its own script, so that it is loaded once.
  const own = document.querySelector("script[type=module][src]");
  if (own && data.cellEditor) import(new URL(data.cellEditor, own.src)).catch(() => {});
}
