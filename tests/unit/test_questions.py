"""What can be asked about a number has an answer."""

from core.ui.answers import ANSWERS
from core.ui.labels import QUESTIONS


def test_each_question_has_an_answer():
    assert ANSWERS.keys() == QUESTIONS.keys()
