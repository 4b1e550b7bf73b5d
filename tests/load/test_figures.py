"""The table of the measurements: what is compared with a target, and how it is written."""

import pytest

from tests.load.figures import Row, of_times, table

TIMES = [float(number) for number in range(1, 102)]


def test_median_p95_and_maximum_stand_beside_those_of_the_floor():
    rows = of_times("a toggle", TIMES, [2 * time for time in TIMES], p95=95)
    assert [(row.figure, row.app, row.floor, row.ratio) for row in rows] == [
        ("median", 51, 102, 0.5),
        ("p95", 96, 192, 0.5),
        ("max", 101, 202, 0.5),
    ]
    assert [row.reached for row in rows] == [None, False, None]


@pytest.mark.parametrize(
    ("app", "floor", "of", "reached"),
    [(50, 10, "app", True), (51, 10, "app", False), (90, 2, "ratio", True), (101, 2, "ratio", False)],
)
def test_a_target_is_for_the_app_or_for_its_ratio_to_the_floor(app, floor, of, reached):
    assert Row("a toggle", "p95", app, floor, most=50, most_of=of).reached is reached


def test_the_table_says_what_is_reached():
    rows = [
        Row("class", "memory", 1234.5, 60, unit="MB", most=300),
        Row("click", "median", 66, 44, most=1.6, most_of="ratio"),
    ]
    assert table(rows).splitlines() == [
        "                    app  floor  ratio     target  reached",
        "class  memory  1,234 MB  60 MB  20.57     300 MB       NO",
        "click  median     66 ms  44 ms   1.50  1.6 times      yes",
    ]
