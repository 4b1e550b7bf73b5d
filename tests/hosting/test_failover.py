"""A replica dies in mid-class: everybody is back at once, with what they typed."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from tests.browser import screen
from tests.hosting.conftest import opened_classroom
from tests.hosting.student import Student

CLASS = 50
LONGEST = 10  # seconds until everybody is back
FRIEND, EMMA, WORDS = 8, 0, 9


@pytest.fixture
def classroom_to_break(tmp_path):
    with opened_classroom(tmp_path) as opened:
        yield opened


def seated(classroom, number: int) -> tuple[Student, str]:
    """A student who has typed a number of their own into the page, and that number."""
    student, text = Student(classroom.port, "emma_sentence"), f"{10 + number}"
    student.edit("queries", number % 9, f"c{number % 4}", text)
    assert_there(student, text)
    return student, text


def assert_there(student: Student, text: str) -> None:
    assert "edits" in student.client.query
    assert re.search(rf"→ `{text}`", "\n".join(student.client.words)), "the number is not on the page"


def back(student: Student, text: str) -> Student:
    student.come_back()
    assert_there(student, text)
    return student


def wait_until(condition, patience: float = LONGEST) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_a_class_survives_the_death_of_a_replica(classroom_to_break, open_page, tmp_path):
    classroom = classroom_to_break
    page = open_page(f"{classroom.url}/emma_sentence?causal=true")
    screen.type_into(page, "queries", FRIEND, EMMA, "2")
    expect(screen.number(page, FRIEND, EMMA, WORDS)).to_have_text("3.62")
    (dying,) = (replica for replica in classroom.replicas if classroom.visitors(replica) == 1)
    (living,) = (replica for replica in classroom.replicas if replica is not dying)
    with ThreadPoolExecutor(CLASS) as pool:
        students = list(pool.map(lambda number: seated(classroom, number), range(CLASS)))
        there = classroom.visitors(dying) - 1
        assert there >= CLASS / 5
        screen.grid(page, "queries").evaluate("editor => { editor.id = 'of-the-old-session' }")
        killed = time.monotonic()
        dying.process.kill()
        wait_until(lambda: sum(student.is_lost for student, _ in students) == there)
        lost = [(student, text) for student, text in students if student.is_lost]
        list(pool.map(lambda one: back(*one), lost))
        wait_until(lambda: classroom.visitors(living) == CLASS + 1)
        expect(page.locator("#of-the-old-session")).to_have_count(0)
        expect(screen.cell(page, "queries", FRIEND, EMMA)).to_have_text("2")
        assert time.monotonic() - killed < LONGEST
    assert not any(student.is_lost for student, _ in students)
    screen.type_into(page, "queries", FRIEND, EMMA, "3")
    expect(screen.number(page, FRIEND, EMMA, WORDS)).to_have_text("4.82")
    expect(page.locator(".st-key-causal input")).to_be_checked()
    for student, _ in students:
        student.close()
    logs = "".join(path.read_text("utf-8") for path in (tmp_path / "nginx").glob("*.log"))
    assert "edits" not in logs
