"""Names that would do harm as Markdown, LaTeX, HTML or code, and how CommonMark shows a code span."""

import re

HOSTILE = [
    "`",
    "```",
    "a`b``c",
    "`x",
    "x`",
    "*bold* _it_ ~~no~~",
    "**y**",
    "[x](http://x.org)",
    "](",
    "![x](x.png)",
    "# heading",
    "- list",
    "| a | b |",
    "$x$",
    "$x^2$",
    "$$",
    r"\frac{1}{2}",
    r"\`",
    "<script>alert(1)</script>",
    "<b>",
    "&amp;",
    "<!--",
    ":red[x]",
    ":material/home:",
    ":smile:",
    "{0} %s",
    "-->",
    "http://x.org",
]


def as_shown(markdown):
    """What Streamlit and CommonMark show for a code span: https://spec.commonmark.org/0.31.2/#code-spans.

    Of a character without any width nothing is to be seen.
    """
    markdown = markdown.replace(":material/", ":material_").replace("\u200b", "")
    fence = re.match("`+", markdown)[0]
    inside = markdown[len(fence) : len(markdown) - len(fence)]
    assert markdown == fence + inside + fence
    assert not inside.startswith("`")
    assert not inside.endswith("`")
    assert fence not in re.findall("`+", inside)
    padded = inside.startswith(" ") and inside.endswith(" ") and inside.strip(" ")
    return inside[1:-1] if padded else inside


def parted(markdown):
    """Markdown with its code spans taken out, and what each of them shows, in order.

    A span ends at the next run of as many backticks as it began with.
    """
    rest, shown = "", []
    while found := re.search("`+", markdown):
        fence = found[0]
        end = re.search(f"(?<!`){fence}(?!`)", markdown[found.end() :])
        assert end, f"a code span has no end: {markdown[found.start() :]}"
        stop = found.end() + end.end()
        shown.append(as_shown(markdown[found.start() : stop]))
        rest, markdown = rest + markdown[: found.start()] + "…", markdown[stop:]
    return rest + markdown, shown
