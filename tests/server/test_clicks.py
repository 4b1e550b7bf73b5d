"""Clicks that come before the answers to others: each counts once, and what is shown is what it led to."""

import re
import time

import numpy as np
import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.presets import load_presets
from core.stages import attend
from deploy.session import REST
from tests.load.client import PART, WHOLE, Client
from tests.load.session import Session
from tests.servers import CLASS_APP, PROJECT, SLOW_START, serve

EMMA = load_presets(PROJECT / "data")[0]["emma_sentence"].inputs
STAGE = re.compile("Heatmap, ([a-z]+): ")
STAGES = ("scores", "scaled", "masked", "weights")
CALM = 1.5 * REST  # seconds
PATIENCE = 30  # seconds


@pytest.fixture(scope="module")
def class_port():
    """Of the server of a class, which knows what a click meant that came before an answer."""
    with serve(CLASS_APP, SLOW_START) as server:
        yield server.port


class Counting(Client):
    """A client that counts the runs of the script, those too that end early for another."""

    begun = 0

    def take(self, data: bytes) -> bool:
        self.begun += ForwardMsg.FromString(data).HasField("new_session")
        return super().take(data)


class CountingSession(Session):
    client_type = Counting


class Watching(Client):
    """A client that tells which stages are on screen."""

    seen: tuple[str, ...] = ()

    def take(self, data: bytes) -> bool:
        has_ended = super().take(data)
        if drawn := [STAGE.match(chart.alt)[1] for chart in self.charts()]:
            self.seen = tuple(drawn)
        return has_ended


class WatchingSession(Session):
    client_type = Watching


def answer(session: Session, patience: float = PATIENCE) -> list[bytes]:
    """All that comes until a click has been answered, which its browser has not taken yet."""
    messages = []
    while True:
        messages.append(session.socket.recv(timeout=patience))
        message = ForwardMsg.FromString(messages[-1])
        if message.HasField("script_finished") and message.script_finished in (WHOLE, PART):
            return messages


@pytest.mark.parametrize(
    ("button", "link"),
    [("previous", {}), ("next", {"stage": "all"}), ("next", {"stage": "explanation", "present": "true"})],
    ids=lambda value: value if isinstance(value, str) else " ".join(value.values()),
)
def test_a_click_that_came_before_the_last_button_was_disabled_leads_no_further(port, button, link):
    with Session(port, "emma_sentence", link) as session:
        session.run(session.client.press(button))
        session.run(session.client.press(button))
        assert session.client.query == link


BURSTS = ((2, "next", "masked"), (3, "next", "all"), (3, "previous", "scaled"), (4, "previous", None))


def test_every_click_on_a_button_counts_however_fast_they_come(class_port):
    """And nothing is told by what a browser has let go since it sent a click that had to wait."""
    with Session(class_port, "emma_sentence") as session:
        for clicks, button, stage in BURSTS * 3:
            for _ in range(clicks):
                session.socket.send(session.client.press(button))
            has_ended = False
            while not has_ended or session.client.query.get("stage") != stage:
                has_ended = session.client.take(session.socket.recv(timeout=PATIENCE))


@pytest.mark.parametrize(
    ("clicks", "button", "shown"),
    [(4, "previous", ("scores",)), (3, "next", STAGES)],
)
def test_a_button_clicked_once_too_often_leaves_the_stage_that_it_led_to(class_port, clicks, button, shown):
    """Of the stage a browser says what it was at the first click, until it is told of another."""
    link = {"stage": "weights"}
    with WatchingSession(class_port, "emma_sentence", link) as session:
        for _ in range(clicks):
            session.socket.send(session.client.press(button))
        for _ in range(clicks):
            for data in answer(session):
                session.client.take(data)
        assert session.client.seen == shown


def test_a_toggle_clicked_before_the_answer_to_next_has_come_leaves_the_stage_that_it_led_to(class_port):
    with WatchingSession(class_port, "emma_sentence") as session:
        session.socket.send(session.client.press("next"))
        on_its_way = answer(session)
        click = session.client.toggle("causal")
        for data in on_its_way:
            session.client.take(data)
        session.run(click)
        assert session.client.seen == ("scaled",)


@pytest.mark.parametrize("stages", [("masked", "all"), ("all", "masked")], ids=" to ".join)
def test_a_toggle_clicked_before_the_answer_to_a_stage_has_come_is_turned(class_port, stages):
    """The part that it is in is drawn elsewhere by then, as all stages are in another place than one."""
    before, chosen = stages
    link = {"stage": before}
    with WatchingSession(class_port, "emma_sentence", link) as session:
        for is_on in (True, False, True):
            session.run(session.client.choose("stage", before))
            session.socket.send(session.client.choose("stage", chosen))
            on_its_way = answer(session)
            click = session.client.toggle("scale")
            for data in on_its_way:
                session.client.take(data)
            session.run(click)
            session.run(session.client.request())
            assert session.client.query == {"stage": chosen} | ({"scale": "true"} if is_on else {})
            masked = attend(EMMA, scale=is_on, causal=False).steps.masked
            assert np.allclose(session.client.heatmap("masked"), masked)


def test_a_stage_chosen_again_after_next_led_away_from_it_is_shown(port):
    with WatchingSession(port, "emma_sentence", {"stage": "masked"}) as session:
        session.run(session.client.press("next"))
        session.run(session.client.choose("stage", "masked"))
        assert session.client.seen == ("masked",)


def test_no_answer_turns_a_switch_of_the_presenter_view_back(port):
    """It has been turned again before the answer comes."""
    link = {"stage": "weights", "present": "true"}
    with Session(port, "word_embeddings", link) as session:
        for on in (["Scale"], [], ["Scale"]):
            session.run(session.client.choose("switches", *on))
            shown = [message.delta.new_element.button_group for message in session.client.shown.values()]
            assert not [pills for pills in shown if pills.set_value and pills.id.endswith("-switches")]
            assert session.client.query == link | ({"scale": "true"} if on else {})


@pytest.mark.parametrize("is_hasty", [True, False])
def test_soon_after_clicks_that_crossed_their_answers_the_page_is_drawn_once_more(class_port, is_hasty):
    """The browser of the second click may show what the answer to the first one says."""
    link = {"stage": "weights", "scale": "true"}
    with WatchingSession(class_port, "emma_sentence") as session:
        pause = 0 if is_hasty else CALM
        time.sleep(CALM)
        session.run(session.client.choose("stage", "weights"))
        time.sleep(pause)
        session.run(session.client.toggle("scale"))
        session.client.query = {"stage": "scaled"}
        if not is_hasty:
            with pytest.raises(TimeoutError):
                answer(session, CALM)
            return
        for data in answer(session):
            session.client.take(data)
        while session.client.query != link:
            session.client.take(session.socket.recv(timeout=PATIENCE))
        assert session.client.seen == ("weights",)
        assert np.allclose(session.client.heatmap(), attend(EMMA, scale=True, causal=False).steps.weights)


def test_a_toggle_clicked_before_the_page_came_once_more_is_told_what_it_was_turned_to(class_port):
    """Its browser has just been told what it was before, and takes that for the newest word."""
    with Session(class_port, "emma_sentence", {"stage": "scaled"}) as session:
        session.toggle("scale")
        once_more = answer(session)
        click = session.client.toggle("scale")
        for data in once_more:
            session.client.take(data)
        session.run(click)
        toggles = [message.delta.new_element.checkbox for message in session.client.shown.values()]
        told = [(toggle.set_value, toggle.value) for toggle in toggles if toggle.id.endswith("-scale")]
        assert told == [(True, False)]
        assert np.allclose(session.client.heatmap(), attend(EMMA, scale=False, causal=False).steps.scaled)


def test_another_page_is_drawn_once_however_soon_it_is_chosen(class_port):
    """Back, pressed before it is drawn again, would be taken back."""
    with Session(class_port, "emma_sentence") as session:
        session.toggle("scale")
        session.client.page_hash, session.client.page = "", "random_qkv"
        session.run(session.client.request())
        with pytest.raises(TimeoutError):
            answer(session, CALM)


def test_behind_an_open_dialog_no_page_is_drawn_once_more(class_port):
    """A file may be under way to it, and would be lost."""
    with Session(class_port, "emma_sentence") as session:
        session.toggle("scale")
        session.run(session.client.press("open-load"))
        with pytest.raises(TimeoutError):
            answer(session, 2 * CALM)


def test_a_click_while_an_answer_is_on_its_way_is_told_nothing_that_its_browser_lets_go(port):
    with Session(port, "emma_sentence", {"stage": "scaled"}) as session:
        session.toggle("scale")
        session.socket.send(session.client.toggle("causal"))
        on_its_way = answer(session)
        click = session.client.toggle("scale")  # back to a heatmap that was before that answer
        for data in on_its_way:
            session.client.take(data)
        session.run(click)
        assert np.allclose(session.client.heatmap(), attend(EMMA, scale=False, causal=True).steps.scaled)


@pytest.mark.parametrize("page", ["emma_sentence", "word_embeddings"])
def test_a_toggle_is_answered_in_one_run_before_an_edit_and_after_it(port, page):
    with CountingSession(port, page) as session:
        for edited in (False, True):
            if edited:
                session.edit(session.client.first_editor()[0], 0, "c0", "0.5")
            before = session.client.begun
            session.toggle("scale")
            assert session.client.begun == before + 1, f"edited: {edited}"


@pytest.mark.parametrize("page", ["emma_sentence", "word_embeddings"])
def test_an_edit_is_answered_in_one_run_by_the_server_of_a_class(class_port, page):
    with CountingSession(class_port, page) as session:
        editor, _, (column, *_) = session.client.first_editor()
        session.edit(editor, 0, column, "2")  # which brings the button that takes it back
        for number in ("0.5", "0.25", "-1"):
            before = session.client.begun
            session.edit(editor, 0, column, number)
            assert session.client.begun == before + 1
