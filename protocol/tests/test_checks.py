"""Tables and functions of a host allow exactly what construct, the definition, parses.

The functions judge received values, which the type of a field can hold; a table judges any.
"""

import struct
from binascii import crc32

import pytest
from construct import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st

import tablespec.host_tables  # noqa: F401  (as every host has it)
from hil_tests.thinned import share
from tablespec.checks import accepted
from tablespec.field_types import choice, number, raw
from tablespec.frame import SEED, VERSION
from tablespec.message_list import MESSAGES
from tablewire.codec import QUICKER as CHECKS
from tablewire.codec import FrameError, first_bad, parse

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


def construct_reads(message, payload):
    """The values, or the number of the first field that the definition refuses."""
    try:
        return list(message.payload.parse(payload).values())[1:]  # the first is the stream
    except ValidationError as error:
        name = error.path.rpartition(" -> ")[2]
        return [name for name, _ in message.facts()].index(name) + 1


def host_reads(message, payload):
    """The same of a host, from a whole frame."""
    body = (
        struct.pack("<BBBBBIIIIIIH", VERSION, message.id, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0) + payload
    )
    try:
        return list(parse(body + struct.pack("<I", crc32(body, SEED))).values)
    except FrameError as error:  # range: message 0x12 field 2 is 38: see PROTOCOL.md
        return int(str(error).split()[4]) if error.reason == "range" else str(error)


def pack(message, values):
    """A payload with these values, whether the definition allows them or not."""
    return struct.pack("<" + "".join(fact.code for _, fact in message.facts()), *values)


@settings(max_examples=share(600, 3), deadline=None)
@given(st.data())
def test_any_payload_is_read_as_construct_reads_it(data):
    """The same values, or the same first field is refused."""
    message = data.draw(st.sampled_from(MESSAGES))
    size = message.payload.sizeof()
    payload = data.draw(st.binary(min_size=size, max_size=size))
    assert host_reads(message, payload) == construct_reads(message, payload)
    values = [data.draw(values_of(fact)) for _, fact in message.facts()]
    payload = pack(message, values)
    assert host_reads(message, payload) == construct_reads(message, payload)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_every_limit_is_that_of_construct(message):
    """Every field at each of its limits and beside it, the other fields as they may be."""
    facts = [fact for _, fact in message.facts()]
    good = [b"" if fact.code.endswith("s") else fact.low for fact in facts]
    answers = {type(host_reads(message, pack(message, good)))}
    for place, fact in enumerate(facts):
        for value in () if fact.code.endswith("s") else filter(holds(fact), near(fact)):
            payload = pack(message, [*good[:place], value, *good[place + 1 :]])
            read = host_reads(message, payload)
            assert read == construct_reads(message, payload), (place, value)
            answers.add(type(read))
    assert answers == ({list, int} if message.id in CHECKS else {list})


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
