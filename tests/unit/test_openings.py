"""A link that was opened before is shown as it was kept, and drawn when nobody is waiting."""

import asyncio

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from deploy import openings as module
from deploy.openings import LARGEST, MOST_KEPT, Opening, Openings, is_opening


@pytest.fixture
def openings(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.0)
    monkeypatch.setattr(module, "openings", Openings())
    return module.openings


class Browser:
    """A session that notes what is drawn for it and what it is sent."""

    def __init__(self, id="browser"):
        self.id, self.opening = id, None
        self.drawn, self.sent, self.waiting = [], [], []

    def open(self, query=""):
        self.opening = Opening(self, asks(query))
        module.openings.open(self.opening)
        return self

    def draw(self, request):
        self.drawn.append(request.query_string)

    def send(self, messages):
        self.sent += messages

    def click(self, what):
        self.waiting.append(what)
        self.opening.hurry()

    def draw_what_waits(self):
        self.drawn += self.waiting
        self.waiting.clear()

    def say(self, *messages):
        """Have the page drawn to its end."""
        for message in messages:
            if self.opening.note(message):
                self.sent.append(message)
        self.opening.end()

    @property
    def has_read(self):
        return [message.hash for message in self.sent if message.hash]


def asks(query=""):
    request = ClientState(query_string=query)
    request.context_info.url = "http://127.0.0.1/emma_sentence"
    return request


def page(*words, session="first", ends=ForwardMsg.FINISHED_SUCCESSFULLY):
    begin, end = ForwardMsg(), ForwardMsg(script_finished=ends)
    begin.new_session.initialize.session_id = session
    said = [ForwardMsg(hash=word) for word in words]
    for message in said:
        message.delta.new_element.markdown.body = "word"
    return begin, *said, end


def failed():
    message = ForwardMsg(hash="error")
    message.delta.new_element.exception.message = "Something went wrong."
    return message


async def until_drawn(*browsers):
    async with asyncio.timeout(10):
        while not all(browser.drawn for browser in browsers):
            await asyncio.sleep(0)


def test_the_second_is_shown_what_the_first_was_told_as_a_session_of_its_own(openings):
    async def open_both():
        first, second = Browser("first").open(), Browser("second")
        first.say(*page("a", "b"))
        second.open()
        assert second.has_read == ["a", "b"]
        assert second.drawn == []
        assert [message.new_session.initialize.session_id for message in (first.sent[0], second.sent[0])] == [
            "first",
            "second",
        ]
        await until_drawn(second)
        second.say(*page("a", "b", session="second"))
        assert second.has_read == ["a", "b"]
        assert second.opening is None

    asyncio.run(open_both())


def test_how_the_first_page_ended_cannot_be_changed_any_more_once_it_is_kept(openings):
    """Streamlit writes into a message that waits to be sent, where its session asks for another page."""

    async def open_both():
        first, messages = Browser("first").open(), page("a")
        first.say(*messages)
        for message in messages:
            if message.HasField("script_finished"):
                message.script_finished = ForwardMsg.FINISHED_EARLY_FOR_RERUN
        second = Browser("second").open()
        ends = [message.script_finished for message in second.sent if message.HasField("script_finished")]
        assert ends == [ForwardMsg.FINISHED_SUCCESSFULLY]

    asyncio.run(open_both())


def test_who_comes_while_the_first_page_is_drawn_waits_for_it(openings):
    async def open_all():
        first, *others = (Browser().open() for _ in range(4))
        assert [other.drawn for other in others] == [[], [], []]
        others[1].opening.stop()
        first.say(*page("a"))
        assert [other.has_read for other in others] == [["a"], [], ["a"]]
        await until_drawn(others[0])
        assert others[2].drawn == []  # one after the other
        others[0].say(*page("a"))
        assert others[2].drawn == [""]
        assert others[1].drawn == []

    asyncio.run(open_all())


def test_where_the_first_leaves_the_next_is_drawn(openings):
    async def leave():
        first, second, third = (Browser().open() for _ in range(3))
        first.opening.stop()
        first.say(*page("a"))
        assert second.drawn == [""]
        second.say(*page("a", "b"))
        assert third.has_read == ["a", "b"]

    asyncio.run(leave())


def test_who_leaves_when_the_page_is_there_has_it_kept(openings):
    async def leave():
        first = Browser().open()
        for message in page("a"):
            first.opening.note(message)
        first.opening.stop()
        first.opening.end()
        assert Browser().open().has_read == ["a"]

    asyncio.run(leave())


def test_a_page_that_says_anything_else_is_sent_and_no_longer_kept(openings):
    async def change():
        Browser().open().say(*page("a"))
        second = Browser().open()
        await until_drawn(second)
        second.say(*page("b"))
        assert second.has_read == ["a", "b"]
        third = Browser().open()
        assert third.drawn == [""]
        assert third.has_read == []

    asyncio.run(change())


def test_who_was_shown_a_page_before_it_changed_is_sent_the_new_one_too(openings):
    async def change():
        Browser().open().say(*page("a"))
        second, third = Browser().open(), Browser().open()
        await until_drawn(second)
        second.say(*page("b"))
        Browser().open().say(*page("b"))
        third.say(*page("b"))
        assert second.has_read == third.has_read == ["a", "b"]
        assert Browser().open().has_read == ["b"]

    asyncio.run(change())


def test_whose_page_is_no_longer_kept_is_not_sent_it_again(openings):
    async def evict():
        Browser().open().say(*page("a"))
        second = Browser().open()
        for number in range(MOST_KEPT):
            Browser().open(f"number={number}").say(*page("a"))
        second.opening.draw()
        second.say(*page("a"))
        assert second.has_read == ["a"]

    asyncio.run(evict())


def test_a_click_has_the_page_drawn_before_it_is_taken_up(openings):
    async def click():
        Browser().open().say(*page("a"))
        second = Browser().open()
        second.click("click")
        second.click("another")
        assert second.drawn == [""]
        second.say(*page("a"))
        assert second.drawn == ["", "click", "another"]
        assert second.has_read == ["a"]

    asyncio.run(click())


def test_a_click_before_there_is_a_page_waits_for_it(openings):
    async def click():
        first, second = Browser().open(), Browser().open()
        first.click("click")
        second.click("click")
        assert [first.drawn, second.drawn] == [[""], []]
        first.say(*page("a"))
        assert first.drawn == ["", "click"]
        await until_drawn(second)
        second.say(*page("a"))
        assert second.drawn == ["", "click"]

    asyncio.run(click())


def test_who_leaves_before_the_page_is_drawn_for_him_has_none_drawn(openings):
    async def leave():
        Browser().open().say(*page("a"))
        second, third = Browser().open(), Browser().open()
        second.opening.stop()
        assert second.opening is None
        await until_drawn(third)
        assert second.drawn == []

    asyncio.run(leave())


@pytest.mark.parametrize(
    "said",
    [
        page("a", ends=ForwardMsg.FINISHED_EARLY_FOR_RERUN),
        page("a", ends=ForwardMsg.FINISHED_WITH_COMPILE_ERROR),
        page("a") + page("b"),
        page("a")[:-1],
        page("a" * LARGEST),
        (*page("a"), failed()),
    ],
    ids=["ended early", "not compiled", "drawn twice", "without an end", "too large", "with an error"],
)
def test_what_is_not_one_whole_page_of_some_size_is_not_kept(openings, said):
    async def open_both():
        first, second = Browser().open(), Browser()
        first.say(*said)
        second.open()
        assert first.sent == list(said)
        assert second.drawn == [""]

    asyncio.run(open_both())


def test_another_link_is_another_page_and_the_oldest_go(openings):
    async def open_many():
        for number in range(MOST_KEPT + 1):
            Browser().open(f"number={number}").say(*page(str(number)))
        assert len(openings.kept) == MOST_KEPT
        last, oldest = Browser().open(f"number={MOST_KEPT}"), Browser().open("number=0")
        assert last.has_read == [str(MOST_KEPT)]
        assert oldest.drawn == ["number=0"]

    asyncio.run(open_many())


def test_a_link_is_the_same_in_another_language_and_under_another_name_of_the_host(openings):
    def browser(**context):
        request = asks()
        for name, value in context.items():
            setattr(request.context_info, name, value)
        return Opening(Browser(), request).key

    same = {"timezone": "Asia/Tokyo", "timezone_offset": -540, "locale": "ja-JP", "color_scheme": "dark"}
    for name, value in (*same.items(), ("url", "https://classroom.example/emma_sentence")):
        assert browser(**{name: value}) == browser()
    assert browser(is_embedded=True) != browser()


def test_who_brings_something_along_does_not_open_a_link():
    assert is_opening(asks())
    assert not is_opening(ClientState())
    for brings in ("widget", "fragment", "messages"):
        request = asks()
        if brings == "widget":
            request.widget_states.widgets.add(id="scale", bool_value=True)
        elif brings == "fragment":
            request.fragment_id = "stages"
        else:
            request.cached_message_hashes.append("a")
        assert not is_opening(request), brings
