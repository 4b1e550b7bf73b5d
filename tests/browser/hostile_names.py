"""Names that would do harm if they became anything but text, and what they would make of a page."""

from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from core.matrices import LONGEST_NAME, Inputs, set_names
from core.presets import load_presets
from core.sharing import edits_of, pack
from tests.servers import PROJECT

TOKENS = (
    "<script>alert('pwn')</script>",
    '<img src=x onerror="alert(`pwn`)">',
    "![pwn](http://other.invalid/pwn.png)",
    "[pwn](javascript:alert(1)) <a href=javascript:alert(1)>pwn</a>",
    "# **pwn** :red[pwn] :material/skull: :smile:",
    r"$\href{javascript:alert(1)}{pwn}$ $$\includegraphics{pwn}$$",
    '${alert("pwn")} datum.x "; alert(1); //',
    "=1+1`</code><b>pwn</b>``",
    "שלום مرحبا \u1eb9\u0301 👩🏽 @SUM(pwn)",
)
DIMENSIONS = (
    "W" * LONGEST_NAME,
    "<svg onload=alert('pwn')>",
    '=HYPERLINK("http://other.invalid/pwn","x")',
    '-->"]}</style>*pwn*',
    "| pwn | {0} %s",
)

# What names have made of a page: elements, attributes, and words that became markup. A code span, which shows
# what it holds as it is, may stand in a sentence that is bold; the link to the page itself holds all
# names, as its address does.
FOUND = r"""() => {
  const found = [];
  for (const e of document.body.querySelectorAll("*")) {
    if (/^(script|iframe|object|embed|img)$/i.test(e.tagName) && /pwn|alert/.test(e.outerHTML))
      found.push(e.outerHTML);
    const isOwnLink = e.matches(".st-key-in-a-frame a") && e.href.startsWith(`${location.origin}/`);
    const attributes = [...e.attributes].filter(({name}) => !(isOwnLink && name === "href"));
    for (const {name, value} of attributes)
      if (/^on/i.test(name) || (/^(.*:)?(href|src|action)$/i.test(name) && /javascript:|pwn/.test(value)))
        found.push(`${e.tagName} ${name}=${value}`);
  }
  const made = "strong, em, del, b, i, a, h1, h2, h3, h4, h5, h6, li, blockquote, .stMarkdown td, "
    + ".katex, .stMarkdownColoredText, [data-testid=stIconMaterial]";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (/pwn|skull|alert/.test(node.data) && !e.closest("code, textarea") && e.closest(made))
      found.push(e.closest(made).outerHTML);
  }
  return found;
}"""
FITS = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return document.scrollingElement.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth;
}"""


def example(page: str, preset: str = "") -> Inputs:
    return load_presets(PROJECT / "data")[0][preset or page].inputs


def renamed(inputs: Inputs) -> Inputs:
    """The same numbers with hostile names along every side."""
    dimensions = {matrix.columns for matrix in inputs.matrices.values()}
    for id, axis in inputs.axes.items():
        pool = [f"{name}{i}"[-LONGEST_NAME:] for i in ("", 2) for name in DIMENSIONS]
        names = pool if id in dimensions else TOKENS
        inputs = set_names(inputs, id, names[: len(axis.names)])
    return inputs


def link(page: str, preset: str = "", **settings: str) -> str:
    """A page whose names are hostile, the first query and the second key selected."""
    inputs = example(page, preset)
    query = "2 of them" if page == "random_qkv" else f"1 {TOKENS[0]}"
    found = {"edits": pack(edits_of(inputs, renamed(inputs))), "query": query, "key": f"2 {TOKENS[1]}"}
    named = {"preset": preset.replace("_", " ")} if preset else {}
    return f"{page}?{urlencode(found | named | settings)}"


def expect_text_alone(page: Page, what: str) -> None:
    """Nothing of the page was made by a name, and it is as wide as its window, on a phone, too."""
    assert page.evaluate(FOUND) == [], what
    page.wait_for_function(FITS)
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"() => innerWidth === 390 && ({FITS})()")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.set_viewport_size(size)
