"""What is sent ahead of a toggle: the very cells that are drawn once it has been turned."""

import json

import pytest

from core.presets import of_page
from core.ui import crowd, fragments
from tests.app.screens import cells, open_page, type_into
from tests.app.test_comparing import compare, kept
from tests.servers import PAGES

SEEN = {"shade", "masked", "text", "longest", "old", "ink", "mark"}


def sent_ahead(app):
    """The columns of the cells for each toggle."""
    (sent,) = [drawn.proto for drawn in app.get("bidi_component") if drawn.proto.component_name == "ahead"]
    return {toggle: json.loads(columns) for toggle, columns in json.loads(sent.json).items()}


def turned(app, toggle):
    app.toggle(key=toggle).set_value(not app.toggle(key=toggle).value).run()
    return app.run()


def assert_sent_is_drawn(app, toggles):
    sent = sent_ahead(app)
    assert list(sent) == toggles
    for toggle, columns in sent.items():
        assert set(columns) >= SEEN
        drawn = cells(turned(app, toggle))
        for name, column in columns.items():
            there = drawn[name].astype(object).where(drawn[name].notna(), None).tolist()
            wanted = pytest.approx(column, abs=1e-4) if name == "shade" else column
            assert there == wanted, (toggle, name)
        turned(app, toggle)


@pytest.mark.parametrize("page", PAGES)
def test_what_is_sent_ahead_is_what_each_toggle_draws(page):
    is_unordered = any(preset.unordered for preset in of_page(page)[0].values())
    toggles = ["scale"] if is_unordered else ["scale", "causal"]
    app = open_page(page)
    for stage in [option for option in app.segmented_control(key="stage").options if option != "all"]:
        app.segmented_control(key="stage").set_value(stage).run()
        assert_sent_is_drawn(app.run(), toggles)


@pytest.mark.parametrize("stage", ["scaled", "weights"])
@pytest.mark.parametrize(
    "link",
    [
        {"layout": "C x T", "decimals": "4 decimals", "query": "2. hates", "key": "5. she"},
        {"only": "friend"},
        {"what_if": "masked scores = 0"},
        {"what_if": "temperature", "temperature": "0.1"},
        {"what_if": "tokens shuffled", "layout": "C x T"},
    ],
)
def test_it_holds_for_whatever_else_is_chosen(stage, link):
    assert_sent_is_drawn(open_page("emma_sentence", stage=stage, **link), ["scale", "causal"])


def test_it_holds_after_an_edit_and_beside_what_was_kept():
    app = type_into(open_page("emma_sentence", stage="weights"), "keys", 0, 0, "3")
    assert set(cells(app)["old"]) != {""}
    assert_sent_is_drawn(app, ["scale", "causal"])
    app = type_into(kept(open_page("emma_sentence", stage="weights")), "keys", 0, 0, "3")
    for view in ("A", "B", "B − A"):
        assert_sent_is_drawn(compare(app, view), ["scale", "causal"])


def test_a_hall_is_sent_what_its_switches_show_in_their_order():
    app = open_page("emma_sentence", stage="weights", present="true")
    sent = sent_ahead(app)
    assert list(sent) == ["scale", "causal"]
    assert app.pills(key="switches").options == ["Scale", "Causal mask"]
    for toggle, columns in sent.items():
        app.pills(key="switches").set_value([toggle]).run()
        assert cells(app.run())["text"].tolist() == columns["text"]
    app = open_page("emma_sentence", present="true", stage="weights", hide="scaling")
    assert list(sent_ahead(app)) == ["causal"]
    assert app.pills(key="switches").options == ["Causal mask"]


@pytest.mark.parametrize("link", [{"stage": "all"}, {"experiment": "arrows"}])
def test_nothing_is_sent_ahead_where_no_stage_is_alone_in_view(link):
    app = open_page("emma_sentence", **link)
    assert [drawn.proto.component_name for drawn in app.get("bidi_component")] == ["in_browser"]


@pytest.mark.parametrize(("part_alone", "sent"), [(True, []), (False, ["ahead"])])
def test_while_others_wait_parts_are_sent_without_and_pages_as_ever(monkeypatch, part_alone, sent):
    monkeypatch.setattr(crowd, "waiting", ["another click"])
    monkeypatch.setattr(fragments, "is_part_drawn_alone", lambda: part_alone)
    app = open_page("emma_sentence", stage="weights")
    assert [drawn.proto.component_name for drawn in app.get("bidi_component")] == [*sent, "in_browser"]
