"""The reports on dice name what is short of its target."""

import pytest

from hil_tests.dice_targets import line_of, print_report


@pytest.mark.parametrize(
    ("family", "counts", "short"),
    [
        ("plain", {"read": 95, "cocked": 5}, ""),
        ("plain", {"read": 94, "cocked": 6}, "plain: 94.0% read, 95% asked"),
        ("plain", {"read": 99, "WRONG": 1}, "plain: 1 read wrong, none asked"),
        ("lean 8", {"cocked": 60}, ""),
        ("lean 8", {"read": 1, "cocked": 59}, "lean 8: 1.7% read, 0% at most"),
        ("worn", {"unreadable": 10}, ""),
    ],
)
def test_what_is_short_of_its_target_is_named(family, counts, short, capsys):
    assert print_report({family: counts}) == (1 if short else 0)
    out = capsys.readouterr().out.strip()
    assert out == (f"short of the targets: {short}" if short else "all targets are met")


def test_a_line_has_its_target():
    line = line_of("plain", {"read": 190, "cocked": 10})
    assert line == "plain     read  190 of  200 95% asked   cocked 10"
