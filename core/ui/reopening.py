"""Open a page again that was saved as a zip."""

from __future__ import annotations

import streamlit as st

from core.csv_files import BadFile
from core.markdown import enumerated, shortened, verbatim
from core.matrices import Inputs, Refused, token_matrices
from core.presets import YOUR_VECTORS, Preset, every_preset
from core.recipes import prepared
from core.saving import CHANGED, SavedPage, changed_inputs, saved_page
from core.sharing import BadLink
from core.snapshots import before_in, edits_told, inputs_in, recipe_in, snapshot_of
from core.ui import comparing, dialogs, header, state
from core.ui.crowd import one_file_at_a_time

MOST_TOKENS_TOLD = 12


def offer(content: bytes) -> None:
    """What the zip holds, and the button to open it. Raises BadFile."""
    with one_file_at_a_time:
        saved = saved_page(content)
    if saved.page not in header.PAGES:
        raise BadFile(CHANGED)
    presets = every_preset()[0]
    try:
        preset = _preset(saved, presets)
        inputs = inputs_in(saved.edits, preset)
        before_in(saved.edits, preset)
        kept = snapshot_of(saved.a, presets) if saved.a else None
    except (BadLink, Refused) as reason:
        raise BadFile(f"the page in this zip cannot be opened: {reason}") from None
    title = header.PAGES[saved.page].title
    example = "" if preset.title == title else f", “{preset.title}”"
    st.markdown(
        f"**A saved page**: {title}{example}, "
        f"{edits_told(preset, inputs) or 'not edited'}, with the tokens {_tokens(inputs)}."
    )
    if changed := changed_inputs(content, saved, inputs):
        files = enumerated([verbatim(name) for name in changed])
        st.warning(
            f"{files} in this zip: changed since it was saved. The page opens **as it was saved**. "
            "To use what was changed, unpack that file and load it by itself, on its page.",
            icon=":material/difference:",
        )
    if kept and comparing.kept():
        st.caption("**It brings an A of its own**, and yours is no longer kept. Undo does not bring it back.")
    if st.button("Open it", type="primary", key="open-zip"):
        if kept:
            comparing.keep(kept)
        dialogs.close()
        state.come_back(saved.page, preset, inputs, saved.settings, saved.edits)
        st.rerun()


def _tokens(inputs: Inputs) -> str:
    """The beginning of its sentence, by which one zip is told from another."""
    names = inputs.row_names(token_matrices(inputs.matrices)[0])
    more = f" and {len(names) - MOST_TOKENS_TOLD} more" if len(names) > MOST_TOKENS_TOLD else ""
    return f"{verbatim(' '.join(map(shortened, names[:MOST_TOKENS_TOLD])))}{more}"


def go_to_its_page() -> None:
    """Go where the zip belongs that was just opened.

    To be called when a page is drawn whole: from a dialog, the link would not follow, as its parameters
    would still belong to the widgets of the page that one leaves.
    """
    page = st.session_state.pop(state.REOPENED, None)
    if page:
        st.switch_page(header.PAGES[page].file, query_params={})


def _preset(saved: SavedPage, presets: dict[str, Preset]) -> Preset:
    if saved.page == YOUR_VECTORS:
        return prepared(recipe_in(saved.edits), presets)
    here = {id: preset for id, preset in presets.items() if preset.page == saved.page}
    chosen = saved.settings.get("preset", next(iter(here), ""))
    if not isinstance(chosen, str) or chosen not in here:
        raise Refused("its example is not there")
    return here[chosen]
