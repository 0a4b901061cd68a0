"""What a walk round a wheel concludes, without a wheel; hil_tests/test_mounting.py has one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.diag import mounting
from tabletools.diag.check import FAIL, PASS
from tabletools.diag.mounting import Wheel

SINGLE = Wheel(wheel=1, reading_direction=0, pocket_sensor=3, index_offset=0)
DOUBLE = Wheel(wheel=2, reading_direction=0, pocket_sensor=3, index_offset=4)
THEMSELVES = {number: frozenset({k}) for k, number in enumerate(SINGLE.numbers)}
EMPTY = frozenset()


def sample(sensor, quantity, value, level=None):
    """A sensor_sample as it is decoded, reported without a verdict."""
    return {"sensor": sensor, "quantity": quantity, "value": value, "level": level,
            "low": 1, "high": 0, "verdict": "skip", "code": None}  # fmt: skip


def lines(level=0, **pulses):
    """Samples of lines with so many pulses each, all at one level."""
    return [sample(name, "pulses", count, level) for name, count in pulses.items()]


def failed(checks):
    """The notes of those that failed."""
    return [check.note for check in checks if check.verdict == FAIL]


def test_a_wheel_knows_its_numbers():
    """By hand: 0, 32, 15 clockwise; read the other way 0, 26, 3; 00 opposite 0 of 38."""
    assert SINGLE.numbers[:3] == ["0", "32", "15"]
    assert Wheel(1, 1, 1, 0).numbers[:3] == ["0", "26", "3"]
    assert (DOUBLE.pockets, DOUBLE.numbers[19]) == (38, "00")


@given(st.dictionaries(
    st.sampled_from(SINGLE.numbers), st.frozensets(st.integers(0, 39), max_size=3), min_size=1
))  # fmt: skip
def test_only_an_array_that_reads_as_itself_passes(changed):
    """Whatever any of its pockets reads otherwise."""
    reads = THEMSELVES | changed
    checks = mounting.array(reads, EMPTY, SINGLE)
    assert bool(failed(checks)) == (reads != THEMSELVES)


def test_a_pocket_that_was_not_laid_fails():
    """One of 37 is missing: the walk was broken off."""
    reads = {number: found for number, found in THEMSELVES.items() if number != "17"}
    assert failed(mounting.array(reads, EMPTY, SINGLE)) == [""]


def test_one_cause_is_named_beside_a_dead_switch():
    """Registers 1 and 5 are exchanged, and pocket 9 gives nothing: the registers come first."""
    to = {k: (k + 32) % 64 if k < 8 else k - 32 if k >= 32 else k for k in range(37)}
    reads = {n: frozenset({to[k]}) if k != 9 else EMPTY for k, n in enumerate(SINGLE.numbers)}
    assert failed(mounting.array(reads, EMPTY, SINGLE))[1:] == [
        "registers 1 and 5 are exchanged; no key corrects it"
    ]


def test_two_keys_are_named_together():
    """A double-zero wheel read the other way, configured as single zero, clockwise."""
    numbers = Wheel(2, 1, 1, 0).numbers
    reads = {n: frozenset({numbers.index(n)}) for n in SINGLE.numbers}
    [_, note] = failed(mounting.array(reads, EMPTY, SINGLE))
    assert "wheel = 2 and reading_direction = 1 corrects it" in note


@pytest.mark.parametrize(
    ("pulses", "direction", "note"),
    [
        ({"rotor_a": 109, "rotor_b": 110, "index": 3}, "clockwise", "fewer than 3 turns"),
        ({"rotor_a": 186, "rotor_b": 185, "index": 5}, None, "not known"),
        ({"rotor_a": 186, "rotor_b": 120, "index": 5}, "clockwise", "120 pulses"),
        ({"rotor_a": 186, "rotor_b": 185, "index": 0}, "clockwise", "0 pulses"),
        ({"rotor_a": 186, "rotor_b": 185, "index": 5}, "clockwise", None),
        ({"rotor_a": 186, "rotor_b": 184, "index": 6}, "clockwise", None),
    ],
)
def test_a_turned_rotor(pulses, direction, note):
    """Three turns of 37 at least, both sensors alike, an index a turn."""
    found = failed(mounting.turned([], lines(**pulses), direction, SINGLE))
    assert found == [] if note is None else [note in each for each in found] == [True]


@pytest.mark.parametrize(
    ("pulses", "note"),
    [
        ({"rotor_a": 0, "rim_1": 3, "rim_2": 0}, None),
        ({"rotor_a": 21, "rim_1": 4, "rim_2": 0}, None),
        ({"rotor_a": 21, "rim_1": 0, "rim_2": 3}, "rim 1 and rim 2 are exchanged"),
        ({"rotor_a": 21, "rim_1": 0, "rim_2": 0}, "0 pulses"),
    ],
)
def test_a_finger_at_a_rim_sensor(pulses, note):
    """Three passes; a rotor that runs out meanwhile is not taken for a finger."""
    found = failed(mounting.passed(lines(**pulses), "rim_1"))
    assert found == [] if note is None else note in found[0]


def angle(rim, value, configured):
    """What the table measured of a rim sensor: the shorter way round, 4 degrees are allowed."""
    expected = min(configured, 360_000 - configured)
    low, high = expected - 4000, expected + 4000
    verdict = "pass" if low <= value <= high else "fail"
    return sample(rim, "angle", value) | {"low": low, "high": high, "verdict": verdict}


FOUR = Wheel(1, 0, 3, 0, (90_000, 180_000, 270_000))
THREE = Wheel(1, 0, 3, 0, (120_000, 240_000))


@pytest.mark.parametrize(
    ("wheel", "measured", "notes"),
    [
        (SINGLE, {"rim_2": 91_000}, []),
        (SINGLE, {"rim_2": 65_000}, ["rim_angle_mdeg = 65000 corrects it"]),
        (THREE, {"rim_2": 119_000, "rim_3": 121_000}, []),
        (THREE, {"rim_2": 120_000, "rim_3": 95_000}, ["rim_3_angle_mdeg = 265000 corrects it"]),
        (FOUR, {"rim_2": 90_000, "rim_3": 177_000, "rim_4": 93_000}, []),
        (
            FOUR,
            {"rim_2": 90_000, "rim_3": 165_000, "rim_4": 115_000},
            [
                "rim_3_angle_mdeg = 165000 or 195000 corrects it",
                "rim_4_angle_mdeg = 245000 corrects it",
            ],
        ),
        (FOUR, {"rim_2": 90_000, "rim_4": 90_000}, ["no two fast turns passed it"]),
        (SINGLE, {}, ["no two fast turns passed it"]),
    ],
)
def test_a_thrown_ball_measures_where_the_rim_sensors_are(wheel, measured, notes):
    """By hand: a third sensor at 265 degrees is 95 away the short way round, 360 - 95 = 265.

    One that is configured opposite the first may be off either way: both values are named.
    """
    configured = dict(zip(wheel.rims[1:], wheel.rim_angles_mdeg, strict=True))
    found = [angle(rim, value, configured[rim]) for rim, value in measured.items()]
    checks = mounting.thrown(found, wheel)
    assert len(checks) == len(configured)
    for shown, expected in zip(failed(checks), notes, strict=True):
        assert shown.startswith(expected)


def head(number, pocket, place=0, pulses=8):
    """What the head reported of a ball in a pocket."""
    off = sample("head", "place", place) | {"low": -1945, "high": 1945}
    off["verdict"] = "pass" if abs(place) <= 1945 else "fail"
    reported = [*lines(head=pulses), off, sample("head", "pocket", pocket)]
    return number, reported if pulses else reported[:1]


@pytest.mark.parametrize(
    ("pockets", "note"),
    [
        ((0, 5, 16), None),
        ((3, 8, 19), "reads 3 pockets too far on: index_offset = 1 corrects it"),
        ((37, 4, 15), "reads 1 pocket too far back: index_offset = 5 corrects it"),
        ((0, 33, 22), "reading_direction = 1 corrects it"),
        ((0, 5, 17), "pocket 16 (number 25) as pocket 17 (number 10)"),
    ],
)
def test_where_a_head_reads(pockets, note):
    """38 pockets, index_offset 4: an offset, a mirror, or neither."""
    looks = dict(head(n, k) for n, k in zip(mounting.probes(DOUBLE), pockets, strict=True))
    checks = mounting.head(looks, DOUBLE)
    if note is None:
        assert [check.verdict for check in checks] == [PASS]
    else:
        assert note in failed(checks)[0]


def test_a_head_off_its_place_is_moved_first():
    """A quarter of a pocket is reader_offset's; about half is that of two reversed ring inputs."""
    for place, half in ((2400, False), (-4800, True)):
        [note] = failed(mounting.head(dict([head("0", 0, place)]), SINGLE))
        assert "reader_offset corrects head_angle_mdeg" in note
        assert ("both ring sensors are reversed" in note) == half


def test_array_and_head_that_disagree():
    """With the pockets of both; nothing is said while one of them sees none, or two."""
    both = [sample("array", "pocket", 5), sample("head", "pocket", 8)]
    assert failed(mounting.agree(both))[0].startswith("array 5, head 8;")
    assert failed(mounting.agree([both[0], sample("head", "pocket", 5)])) == []
    assert mounting.agree(both[:1]) == mounting.agree([sample("array", "pocket", -1), both[1]])
    assert mounting.agree([*both, sample("array", "pocket", 9)]) == []
