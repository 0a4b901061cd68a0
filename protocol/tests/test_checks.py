"""The generated range checks allow exactly what the field tables and construct allow."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablespec.checks import condition
from tablespec.fields import choice, number, raw
from tablespec.messages import MESSAGES
from tablewire.checks import CHECKS
from tablewire.codec import check_value
from tablewire.messages import MESSAGES as TABLES

BOUNDS = {"B": (0, 255), "H": (0, 65535), "I": (0, 2**32 - 1), "b": (-128, 127)}
BOUNDS["i"] = (-(2**31), 2**31 - 1)


def values_of(field):
    """Every value a field's type can hold, its limits and their neighbours often."""
    _, letter, low, high, unknown, _ = field
    if letter[-1] == "s":
        return st.just(b"")
    least, most = BOUNDS[letter]
    near = {low - 1, low, high, high + 1, unknown if unknown is not None else low}
    edges = st.sampled_from(sorted(value for value in near if least <= value <= most))
    return edges | st.integers(least, most)


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_a_check_is_the_sum_of_its_fields(data):
    """A message passes exactly when the table lets every field pass."""
    ident = data.draw(st.sampled_from(sorted(TABLES)))
    fields = TABLES[ident][2]
    values = tuple(data.draw(values_of(field)) for field in fields)
    allowed = all(
        field[1][-1] == "s" or check_value(field, value)
        for field, value in zip(fields, values, strict=True)
    )
    check = CHECKS.get(ident)
    assert (check is None or check(values)) == allowed


def test_only_messages_without_limits_have_no_check():
    """What may hold any values: commands without fields, keys and nonces."""
    names = {message.name for message in MESSAGES if message.id not in CHECKS}
    assert names == {
        "configuration", "identify", "open_bets", "close_bets", "get_configuration",
        "set_configuration",
    }  # fmt: skip


NAMES = ((1, "one"), (2, "two"), (4, "four"))


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (number("B", "", 0, 37, ""), "x <= 37"),
        (number("B", "", 1, 255, ""), "x >= 1"),
        (number("B", "", 1, 20, ""), "1 <= x <= 20"),
        (number("H", "", 0, 65535, ""), None),
        (number("H", "", 0, 65534, "", unknown=65535), None),
        (number("H", "", 0, 60000, "", unknown=65535), "(x <= 60000 or x == 65535)"),
        (number("i", "", -(2**31), 2**31 - 1, ""), None),
        (choice("b", ((-1, "left"), (1, "right")), "", unknown=0), "-1 <= x <= 1"),
        (choice("B", NAMES, ""), "(1 <= x <= 2 or x == 4)"),
        (raw(8, "", ""), None),
    ],
)
def test_conditions_written_out(field, text):
    """The shortest comparison for what a type can hold, written by hand."""
    assert condition("x", field.facts) == text
