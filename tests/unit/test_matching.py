"""Names of a table and those of a page: which is which."""

import pytest

from core.matching import missing_names, places_of

PAGE = ("Müller", "hört", "schöne", "Äpfel", "süß", "fallen")


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (PAGE, [0, 1, 2, 3, 4, 5]),
        (PAGE[::-1], [5, 4, 3, 2, 1, 0]),
        (("Müller", "hört", "Äpfel", "süß", "fallen"), [0, 1, 3, 4, 5]),
        (("Müller", "hört", "gern", "schöne", "Äpfel", "süß", "fallen"), [0, 1, None, 2, 3, 4, 5]),
        (("fallen", "Müler", "hört", "süß", "schöne", "Äpfel"), [5, 0, 1, 4, 2, 3]),
        (("müller", "HÖRT", "schöne", "äpfel", "süss", "fallen"), [0, 1, 2, 3, 4, 5]),
        (("Müller", "hört", "rote", "Äpfel", "süß", "fallen"), [0, 1, 2, 3, 4, 5]),
        (("ich", "hört", "rote", "Äpfel", "süß", "fallen"), [0, 1, 2, 3, 4, 5]),
        (("Müller", "hört", "rote", "und", "Äpfel", "süß", "fallen"), [0, 1, 2, None, 3, 4, 5]),
        (("fallen", "hört", "rote", "Äpfel", "süß", "Müller"), [5, 1, 2, 3, 4, 0]),
        (("hört", "schöne", "Äpfel", "süß", "fallen", "gern"), [1, 2, 3, 4, 5, None]),
        (("Emma", "hates", "games"), []),
        (("Müller", "hört", "and", "other", "words", "too"), []),
        ((), []),
    ],
    ids=[
        *("the same", "backwards", "one less", "one more", "a slip", "capitals", "one other", "two others"),
        *("one other and one more", "one other, moved", "one goes, one comes"),
        *("none known", "a third known", "no names"),
    ],
)
def test_a_name_is_found_where_two_thirds_of_them_are_known(names, places):
    assert places_of(names, PAGE) == places


def test_names_that_differ_in_their_number_alone_are_different():
    assert places_of(("token 8", "token 1", "token 2"), ("token 1", "token 2", "token 9")) == [None, 0, 1]


def test_a_name_that_is_there_twice_stays_where_it_is_as_often():
    assert places_of(("the", "cat", "the", "dog"), ("the", "cat", "and", "the", "dog")) == [0, 1, 3, 4]
    assert places_of(("cat", "the", "the"), ("the", "cat", "the")) == [1, 0, 2]


def test_a_name_is_missing_as_often_as_others_lack_it():
    assert missing_names(("the", "Cat", "the", "dog"), ("cat", "the")) == ["the", "dog"]
    assert missing_names((), PAGE) == []


@pytest.mark.parametrize(("slips", "are_known"), [(20, True), (40, False)])
def test_slips_are_known_where_they_are_few(slips, are_known):
    """Letter by letter, each of very many names with each other one would take a server seconds."""
    present = tuple(3 * chr(97 + place % 26) + 3 * chr(65 + place // 26) for place in range(120))
    names = tuple(
        f"{name}x" if place % 3 == 0 and place < 3 * slips else name for place, name in enumerate(present)
    )
    backwards = places_of(names[::-1], present)
    assert (backwards == list(range(120))[::-1]) == are_known
