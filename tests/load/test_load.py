"""What the class of the load tests types."""

from core.presets import every_preset
from tests.load.load import LONGEST, MOST_ACTIONS, THINKING, new_numbers


def test_every_number_that_a_student_types_is_new_to_the_page():
    typed = [float(text) for text in new_numbers()]
    there = {
        number
        for preset in every_preset()[0].values()
        for matrix in preset.inputs.matrices.values()
        for number in matrix.values.flat
    }
    assert len(typed) == len(set(typed)) == MOST_ACTIONS > LONGEST / THINKING * 2
    assert there.isdisjoint(typed)
    assert -2 < min(typed) < max(typed) < 2
