// A rerun that fails in a callback draws nothing else, so the rules have to outlive what drew them.
export default function ({ data }) {
  if (document.getElementById("error-sentence")) return;
  const style = document.createElement("style");
  style.id = "error-sentence";
  style.textContent = data.rules;
  document.head.append(style);
}
