"""The tables of the device and the functions of a host allow exactly what the facts allow.

The functions judge received values, which the type of a field can hold; a table judges any.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tablespec.checks import accepted
from tablespec.fields import choice, number, raw
from tablespec.messages import MESSAGES
from tablewire.checks import CHECKS
from tablewire.codec import QUICKER, first_bad

BOUNDS = {"B": (0, 255), "H": (0, 65535), "I": (0, 2**32 - 1), "b": (-128, 127)}
BOUNDS["i"] = (-(2**31), 2**31 - 1)


def values_of(facts):
    """Every value a field's type can hold, its limits and their neighbours often."""
    if facts.code.endswith("s"):
        return st.just(b"")
    least, most = BOUNDS[facts.code]
    return st.sampled_from(sorted(filter(holds(facts), near(facts)))) | st.integers(least, most)


def holds(facts):
    """Whether a field's type can hold a value."""
    least, most = BOUNDS[facts.code]
    return lambda value: least <= value <= most


def near(facts):
    """Its limits, the limits of its type, the values of its enumeration, and their neighbours."""
    limits = {facts.low, facts.high, *BOUNDS[facts.code], *dict(facts.names)}
    limits |= {facts.unknown} - {None}
    return {value + step for value in limits for step in (-1, 0, 1)}


def is_allowed(facts, value):
    """What a field's facts say, in the plainest words."""
    if facts.code.endswith("s") or value == facts.unknown:
        return True
    if facts.names:
        return value in dict(facts.names)
    return facts.low <= value <= facts.high


@settings(max_examples=share(600, 3), deadline=None)
@given(st.data())
def test_a_bad_field_is_found_and_the_first_one_named(data):
    message = data.draw(st.sampled_from(MESSAGES))
    facts = [fact for _, fact in message.facts()]
    values = tuple(data.draw(values_of(fact)) for fact in facts)
    bad = [n for n, fact in enumerate(facts) if not is_allowed(fact, values[n])]
    expected = bad[0] if bad else -1
    check = CHECKS.get(message.id)
    assert check is None or check(values) is (not bad)
    assert check or not bad
    assert first_bad(message.id, values) == expected


def test_both_agree_on_every_limit():
    """Every field at each of its limits and beside it, the other fields as they may be."""
    for message in MESSAGES:
        facts = [fact for _, fact in message.facts()]
        good = [b"" if fact.code.endswith("s") else fact.low for fact in facts]
        for place, fact in enumerate(facts):
            for value in () if fact.code.endswith("s") else sorted(near(fact)):
                values = [*good[:place], value, *good[place + 1 :]]
                expected = -1 if is_allowed(fact, value) else place
                assert first_bad(message.id, values) == expected, (message.name, place, value)
                if holds(fact)(value) and message.id in CHECKS:
                    valid = CHECKS[message.id](values)
                    assert valid is (expected < 0), (message.name, place, value)


def test_both_refuse_a_wrong_number_of_values():
    for message in MESSAGES:
        facts = [fact for _, fact in message.facts()]
        good = [b"" if fact.code.endswith("s") else fact.low for fact in facts]
        for values in (good[1:], [*good, 0]) if message.id in CHECKS else ():
            for check in (CHECKS[message.id], lambda v, ident=message.id: first_bad(ident, v)):
                with pytest.raises(ValueError, match="values"):
                    check(values)


def test_a_host_uses_the_functions():
    assert QUICKER == CHECKS


def test_only_messages_that_may_hold_anything_have_no_check():
    names = {message.name for message in MESSAGES if message.id not in CHECKS}
    silent = {
        "identify",
        "open_bets",
        "close_bets",
        "end_round",
        "end_cards",
        "factory_configuration",
        "lock",
    }
    any_value = {"configuration", "get_configuration", "set_configuration", "attestation"}
    session = {"start_session", "session_started", "session_ended"}
    assert names == silent | session | any_value | {"attest"}


NAMES = ((1, "one"), (2, "two"), (4, "four"))


@pytest.mark.parametrize(
    ("field", "tests"),
    [
        (number("B", "", 0, 37, ""), ["x <= 37"]),
        (number("B", "", 1, 255, ""), ["x >= 1"]),
        (number("b", "", 0, 37, ""), ["x >= 0", "x <= 37"]),
        (number("H", "", 0, 65534, "", unknown=65535), []),
        (number("H", "", 0, 60000, "", unknown=65535), ["(x <= 60000 or x == 65535)"]),
        (choice("b", ((-1, "left"), (1, "right")), "", unknown=0), ["x >= -1", "x <= 1"]),
        (choice("B", NAMES, ""), ["(x >= 1 and x <= 2 or x == 4)"]),
        (raw(8, "", ""), []),
    ],
)
def test_conditions_written_out(field, tests):
    """The shortest comparisons, written by hand."""
    assert accepted("x", field.facts) == tests
