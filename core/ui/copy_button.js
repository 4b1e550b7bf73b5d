export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = "Copy link";
  button.onclick = async () => {
    button.textContent = (await copied(data.text, parentElement)) ? "Copied" : "Select the link and copy it";
  };
}

async function copied(text, parentElement) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text, parentElement); // on a page without https there is no clipboard
  }
}

function copiedBySelection(text, parentElement) {
  const field = document.createElement("textarea");
  field.value = text;
  parentElement.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  parentElement.querySelector("button").focus(); // in the dialog, which Escape closes from within
  return done;
}
