"""One link that gives back the screen, and links for a lesson, which hide what it does not need."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from core.lessons import HIDE, HIDEABLE, STAGES, Lesson, parameters
from core.sharing import LONGEST_LINK
from core.ui import beginning, comparing, dialogs, worksheets
from core.ui.copy_button import copy_button
from core.ui.page import Page
from core.ui.state import BEGINS, EDITS, PARAMETERS, A, widget_parameters

CHOSEN = "lesson-chosen"  # the lesson of the link that was shared last
AT_OPENING = "lesson-at-opening"  # when the dialog was opened, and whether a lesson was chosen then


@st.dialog("Share this screen", width="medium", on_dismiss=dialogs.close)
def dialog(page: Page) -> None:
    """The link, to copy; what a lesson may hide; and below that, as it grows with it, the link in full."""
    place = st.container()
    lesson = _lesson(page)
    link = address(page, lesson)
    if link is None:
        place.warning(
            f"This screen holds more than the {LONGEST_LINK:,} characters that fit into a link. "
            "Save it as a zip; Load opens the zip again.",
            icon=":material/link_off:",
        )
        return
    with place:
        copy_button(link)
    st.code(link, language=None, wrap_lines=True)
    first = _first_left(page, lesson)
    begins = f", but begins with {first}" if first else ""
    unused = (
        " A cell that cannot be used holds its last good number there." if page.worksheet.problems else ""
    )
    last = " and what the last one did"
    if _begins(page, lesson) or "answers" in lesson.hidden:
        last = ""  # theirs will be the first, for Undo to take back; or it is not shown
    elif not worksheets.tells_last_edit(page.worksheet):
        last = " (not what the last one did: there is no room)"
    st.caption(
        f"Whoever opens it sees this screen: example, edits{last}, toggles, stage, "
        f"selection, what-if and A{begins}.{unused}"
    )
    if not _begins(page, lesson):
        st.container(key="same-address").caption("The address bar of your browser holds the same link.")
    way_out_of_a_frame(
        page, "This page is shown inside another, whose address holds no edits of yours: a reload loses them."
    )


def way_out_of_a_frame(page: Page, why: str) -> None:
    """For who sees the page inside another (style.css): a tab of its own, with all that is on screen."""
    with st.container(key="in-a-frame", gap="xsmall"):
        st.caption(why)
        if link := address(page, page.lesson):
            st.link_button("Open in a tab of its own", link, icon=":material/open_in_new:")


def address(page: Page, lesson: Lesson) -> str | None:
    """The link of a page as it is on screen, None where it is too long."""
    begins = _begins(page, lesson)
    old = (HIDE, STAGES, EDITS, A, *([BEGINS] if begins else []))
    found = {
        name: text
        for name, text in st.query_params.to_dict().items()
        if name not in old and not (name in PARAMETERS and name in st.session_state)
    }
    found |= widget_parameters(page)  # the address bar may be behind
    found |= parameters(lesson)
    if _first_left(page, lesson):
        found.pop("stage", None)
    text = worksheets.text_without_last_edit if begins else worksheets.text_in_link
    edits = text(page.worksheet)
    if worksheets.is_too_long(page.worksheet) or comparing.is_too_long(edits, page.id):
        return None
    found |= ({EDITS: edits} if edits else {}) | comparing.parameters(edits, page.id)
    base = st.context.url or f"/{page.id}"
    link = f"{base}?{urlencode(found)}" if found else base
    return link if len(link) <= LONGEST_LINK else None


def _begins(page: Page, lesson: Lesson) -> bool:
    """Whether a link is for a class to begin a lesson with, and not for a page as it is."""
    return parameters(lesson) != parameters(page.lesson)


def _first_left(page: Page, lesson: Lesson) -> str:
    """The stage with which a lesson begins that does not leave the one in view; else empty."""
    left = [name for name in page.stages if name in lesson.stages]
    return left[0] if left and page.stage not in left else ""


def _lesson(page: Page) -> Lesson:
    """The lesson that the page is in, which its students cannot change, or else the one chosen here."""
    if parameters(page.lesson):
        return page.lesson
    session, opening = st.session_state, dialogs.times_opened()
    if session.get(AT_OPENING, (None,))[0] != opening:
        last: Lesson = session.get(CHOSEN, Lesson())
        session["lesson-hidden"] = list(last.hidden)
        session["lesson-stages"] = [name for name in last.stages if name in page.stages]
        session[AT_OPENING] = opening, last != Lesson()
    with st.expander("For a lesson: hide what it does not need", expanded=session[AT_OPENING][1]):
        hidden = st.pills(
            "Hidden in the link",
            HIDEABLE,
            selection_mode="multi",
            key="lesson-hidden",
        )
        st.caption(
            "“answers” hides how numbers are worked out, what an edit did and what to try, but not the "
            "numbers. To ask your class for a number, leave only the stages before it."
        )
        left = st.pills(
            "Only these stages (none chosen: all)",
            page.stages,
            selection_mode="multi",
            key="lesson-stages",
        )
        given_back = (
            "Reset gives the class the numbers, names and toggles of this link back."
            if beginning.as_it_is(page)
            else "Reset gives the class the example: your edits are too many to stand in all its links."
        )
        st.caption(
            "Open the link in a new tab to see what the class will see. This keeps the page simple, and "
            "keeps no secrets: answers stop at the last of these stages, but what-ifs, experiments, other "
            f"pages and saved files do not. {given_back}"
        )
    chosen = Lesson(
        tuple(name for name in HIDEABLE if name in hidden),
        tuple(name for name in page.stages if name in left),
    )
    session[CHOSEN] = chosen
    return chosen
