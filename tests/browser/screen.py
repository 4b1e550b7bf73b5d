"""What a person does on a page, and what a person reads there."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Frame, Locator, Page, Route, expect

CELL_EDITOR = "textarea.gdg-input"  # which the grid loads on its first use
PHONE = {"width": 390, "height": 844}
HEADER, ROW = 36, 21  # pixels, as in core/ui/editors.py
WORDS = ".st-key-one-stage > * > * > .stElementContainer:first-child"
CHART = "[class*=st-key-cells]"  # of the stage in view
HEATMAP = f"{CHART} svg.marks"
PLACE = "e => (({x, y, width, height}) => ({x, y, width, height}))(e.getBoundingClientRect())"


def grid(page: Page | Frame, matrix: str) -> Locator:
    return page.locator(f".st-key-editor-{matrix}").get_by_test_id("stDataFrame")


def select_cell(page: Page | Frame, matrix: str, row: int, column: int) -> None:
    """Select a cell by clicking the name of its row and going right. The first column of numbers is 0."""
    editor = grid(page, matrix)
    editor.scroll_into_view_if_needed()
    editor.get_by_test_id("data-grid-canvas").wait_for()
    _click_name(editor, row)
    for _ in range(column + 1):
        editor.page.keyboard.press("ArrowRight")
    _selected(editor, row, column + 1).wait_for(state="attached")  # a grid tells of it a quarter second later


def _click_name(editor: Locator, row: int) -> None:
    """Click a row's name. A grid takes no click of a pointer that it has not seen coming."""
    place = {"x": 15, "y": HEADER + ROW * row + ROW // 2}
    editor.hover(position=place | {"x": 40})
    editor.hover(position=place)
    editor.click(position=place)
    _selected(editor, row, 0).wait_for(state="attached")


def _selected(editor: Locator, row: int, column: int) -> Locator:
    return editor.locator(f"[data-testid=glide-cell-{column}-{row}][aria-selected=true]")


def click_in_last_column(page: Page, matrix: str, row: int) -> None:
    """Click a cell of the last column, and wait for nothing."""
    editor = grid(page, matrix)
    editor.scroll_into_view_if_needed()
    width = editor.evaluate("e => e.clientWidth")
    editor.hover(position={"x": width - 40, "y": HEADER + ROW * row + ROW // 2})
    editor.hover(position={"x": width - 20, "y": HEADER + ROW * row + ROW // 2})
    page.mouse.down()
    page.mouse.up()


def double_click_in_last_column(page: Page, matrix: str, row: int, column: int) -> None:
    """Open a cell of the last column, which is this one, and wait until the grid has selected it."""
    editor = grid(page, matrix)
    width = editor.evaluate("e => e.clientWidth")
    editor.dblclick(position={"x": width - 20, "y": HEADER + ROW * row + ROW // 2})
    expect(page.locator(CELL_EDITOR)).to_be_visible()
    expect(_selected(editor, row, column + 1)).to_be_attached()


def type_into(page: Page | Frame, matrix: str, row: int, column: int, text: str) -> None:
    """Type a number into a cell, as a person does: select, type, Enter."""
    select_cell(page, matrix, row, column)
    cell_editor = page.locator(CELL_EDITOR)
    keyboard = cell_editor.page.keyboard
    keyboard.type(text[0])
    expect(cell_editor).to_have_value(text[0])
    keyboard.type(text[1:])
    expect(cell_editor).to_have_value(text)
    keyboard.press("Enter")
    cell_editor.wait_for(state="detached")


def copy(page: Page, text: str) -> None:
    """Have a text in the clipboard, which needs its permissions."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)


def paste(page: Page, matrix: str, row: int, column: int, text: str) -> None:
    """Paste a block of cells, the first of them here."""
    copy(page, text)
    select_cell(page, matrix, row, column)
    page.keyboard.press("Control+v")


@contextmanager
def slowed_down(page: Page, times: float) -> Iterator[None]:
    """Have the page run on a slower processor: the tab is used by the next test, too."""
    processor = page.context.new_cdp_session(page)
    processor.send("Emulation.setCPUThrottlingRate", {"rate": times})
    try:
        yield
    finally:
        processor.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        processor.detach()


def slow_down_frames(page: Page) -> None:
    """Have every frame that the page waits for come late, until it is loaded anew."""
    page.evaluate(
        """() => {
          const frame = requestAnimationFrame;
          window.requestAnimationFrame = (then) => setTimeout(() => frame(then), 50);
        }"""
    )


def have_clicks_arrive_late(page: Page, milliseconds: int) -> None:
    """Have all that the page sends arrive late, as from far away, from when it is opened next."""
    page.add_init_script(
        f"""const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (...data) {{
          setTimeout(() => send.apply(this, data), {milliseconds});
        }};"""
    )


def note_socket(page: Page) -> None:
    """Have the page keep as window.socket what it sends its next click by, until it is loaded anew."""
    page.evaluate(
        """() => {
          const send = WebSocket.prototype.send;
          WebSocket.prototype.send = function (...data) {
            window.socket = this;
            return send.apply(this, data);
          };
        }"""
    )


@contextmanager
def reloaded_without(page: Page, files: str) -> Iterator[None]:
    """Have the page load anew, and files whose address matches come only afterwards."""
    held: list[Route] = []
    page.route(files, lambda route: held.append(route))
    page.reload()
    yield
    assert held, f"the page asked for no {files}"
    for route in held:
        route.continue_()
    page.unroute(files)


def cell(page: Page, matrix: str, row: int, column: int) -> Locator:
    """What the editor holds in a cell, as assistive technologies are told."""
    return grid(page, matrix).get_by_test_id(f"glide-cell-{column + 1}-{row}")


def words(page: Page) -> Locator:
    """What stands above the heatmap of a stage: a sentence, the formula, and a number worked out."""
    return page.locator(WORDS)


def number(page: Page, row: int, column: int, columns: int) -> Locator:
    """The number drawn in a cell of the stage in view, where nothing is masked."""
    texts = page.locator(f"{CHART} svg g.mark-text.layer_1_marks text")
    return texts.nth(row * columns + column)


def heatmap_place(page: Page) -> dict[str, float]:
    """Where the heatmap of the stage in view is, and how large."""
    expect(page.locator(HEATMAP)).to_be_visible()
    return page.locator(HEATMAP).evaluate(f"e => ({PLACE})(e)")


def expect_heatmap_at(page: Page, place: dict[str, float]) -> None:
    """Wait until the heatmap is there: from stage to stage it may be away for a moment, to be drawn anew."""
    page.wait_for_function(
        f"""([selector, wanted]) => {{
          const element = document.querySelector(selector), place = element && ({PLACE})(element);
          return place && Object.keys(wanted).every(side => Math.abs(place[side] - wanted[side]) < 0.01);
        }}""",
        arg=[HEATMAP, place],
    )


def click_cell(page: Page, row: int, column: int, columns: int) -> None:
    """Click a cell of the stage in view, where nothing is masked."""
    cell = number(page, row, column, columns)
    expect(cell).to_be_visible()
    box = cell.evaluate(f"e => ({PLACE})(e)")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def marked(page: Page) -> Locator:
    """The outlines of cells that are selected, or show what a what-if does; not the thin one of a number."""
    thin = ":not([stroke-width='1.5'], [stroke-width='4'])"
    return page.locator(f"{CHART} svg g.mark-rect.layer_3_marks path{thin}")


def wait_for_rest(page: Page) -> None:
    """Wait until nothing slides open any more: a click on what is still moving would miss it.

    What changes as one scrolls does so only then.
    """
    page.wait_for_function(
        "() => !document.getAnimations().some(({ timeline }) => timeline instanceof DocumentTimeline)"
    )


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    pick_in(page.get_by_label(label, exact=True), option)


def pick_in(box: Locator, option: str) -> None:
    """The same of a box at hand. A list closes again when the page is scrolled or drawn after it opened."""
    expect(box.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    box.scroll_into_view_if_needed()
    box.click()
    box.page.get_by_role("option", name=option, exact=True).click()


def toggle(page: Page, name: str) -> None:
    page.locator(f".st-key-{name}").locator("label").first.click()


def go_to(page: Page, title: str) -> None:
    """Go to another page by the sidebar."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()


def stage(page: Page, name: str) -> None:
    page.locator(".st-key-stage").get_by_role("radio", name=name, exact=True).click()


def press(page: Page | Frame, name: str) -> None:
    """Press a button of the sidebar or of a dialog."""
    page.locator(f".st-key-{name} button").first.click()


def shared_link(page: Page) -> str:
    """The link that the Share dialog shows, which stays open."""
    press(page, "open-share")
    return page.get_by_test_id("stDialog").locator("code").inner_text()
