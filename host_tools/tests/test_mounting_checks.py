"""What a walk round a wheel concludes, without a wheel; hil_tests/test_mounting.py has one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import FAIL, PASS
from tabletools.diag.roulette import mounting_checks, moving
from tabletools.diag.roulette.mounting_checks import Wheel

SINGLE = Wheel(wheel=1, reading_direction=0, pocket_sensor=3, index_offset=0)
DOUBLE = Wheel(wheel=2, reading_direction=0, pocket_sensor=3, index_offset=4)
THEMSELVES = {number: frozenset({k}) for k, number in enumerate(SINGLE.numbers)}
EMPTY = frozenset()


def sample(sensor, quantity, value, level=None, low=1, high=0, verdict="skip"):
    """A sensor_sample as it is decoded, reported without a verdict."""
    return SensorSample(sensor, quantity, value, low, high, level, verdict)


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


@given(
    st.dictionaries(
        st.sampled_from(SINGLE.numbers), st.frozensets(st.integers(0, 39), max_size=3), min_size=1
    )
)
def test_only_an_array_that_reads_as_itself_passes(changed):
    """Whatever any of its pockets reads otherwise."""
    reads = THEMSELVES | changed
    checks = mounting_checks.array(reads, EMPTY, SINGLE)
    assert bool(failed(checks)) == (reads != THEMSELVES)


def test_a_pocket_that_was_not_laid_fails():
    """One of 37 is missing: the walk was broken off."""
    reads = {number: label for number, label in THEMSELVES.items() if number != "17"}
    assert failed(mounting_checks.array(reads, EMPTY, SINGLE)) == [""]


def test_one_cause_is_named_beside_a_dead_switch():
    """Registers 1 and 5 are exchanged, and pocket 9 gives nothing: the registers come first."""
    to = {k: (k + 32) % 64 if k < 8 else k - 32 if k >= 32 else k for k in range(37)}
    reads = {n: frozenset({to[k]}) if k != 9 else EMPTY for k, n in enumerate(SINGLE.numbers)}
    assert failed(mounting_checks.array(reads, EMPTY, SINGLE))[1:] == [
        "registers 1 and 5 are exchanged; no key corrects it"
    ]


def test_two_keys_are_named_together():
    """A double-zero wheel read the other way, configured as single zero, clockwise."""
    numbers = Wheel(2, 1, 1, 0).numbers
    reads = {n: frozenset({numbers.index(n)}) for n in SINGLE.numbers}
    [_, note] = failed(mounting_checks.array(reads, EMPTY, SINGLE))
    assert "wheel = 2 and reading_direction = 1 corrects it" in note


def turned(pulses, missed=(0, 0), index_mdeg=0, b_mdeg=0, **more):
    """What the table reports of a rotor that was turned: 9/64 of a pocket of 37 are 1368 mdeg."""
    samples = lines(**pulses)
    for sensor, count in zip(("rotor_a", "rotor_b"), missed, strict=True):
        samples.append(sample(sensor, "missed", count))
    for sensor, off, slack in (("index", index_mdeg, 1368), ("rotor_b", b_mdeg, 1216)):
        verdict = "pass" if abs(off) <= slack else "fail"
        samples.append(sample(sensor, "place", off, None, -slack, slack, verdict))
    return [*samples, *(sample("index", name, value) for name, value in more.items())]


FIVE = {"rotor_a": 186, "rotor_b": 185, "index": 5}


@pytest.mark.parametrize(
    ("reported", "direction", "note"),
    [
        (turned({"rotor_a": 109, "rotor_b": 110, "index": 3}), "clockwise", "fewer than 3 turns"),
        (turned(FIVE), None, "not known"),
        (turned(FIVE), "counter_clockwise", "A and B are exchanged"),
        (turned(FIVE | {"rotor_b": 120}), "clockwise", "rotor b misses 66 of 186 pulses"),
        (turned(FIVE | {"index": 0}), "clockwise", "0 pulses"),
        (turned(FIVE | {"index": 10}), "clockwise", "two magnets on the track"),
        (turned(FIVE | {"rim_2": 5}), "clockwise", "rim 2 sees the rotor"),
        (turned(FIVE), "clockwise", None),
        (turned({"rotor_a": 186, "rotor_b": 184, "index": 6}), "clockwise", None),
        (lines(**FIVE), "clockwise", "the table counted none"),
        (turned(FIVE, (0, 4)), "clockwise", "rotor b misses 4 of 185 pulses"),
        (turned(FIVE, (0, -3)), "clockwise", "rotor b adds 3 of 185 pulses"),
        (turned(FIVE, (2, 2)), "clockwise", "both ring sensors miss 2 pulses"),
        (turned(FIVE, (4, 4)), "clockwise", "the ring lacks 1 magnet"),
        (turned(FIVE, (8, 8)), "clockwise", "the ring lacks 2 magnets"),
        (turned(FIVE, (-4, -4)), "clockwise", "wheel = 2 corrects it"),
        (turned(FIVE, (-74, -74)), "clockwise", "2 of the turns have no index"),
        (turned(FIVE, error=206), "clockwise", "a ring magnet is off its place"),
        (turned(FIVE, index_mdeg=1400), "clockwise", "0.14 pocket aside: the index magnet"),
        (turned(FIVE, index_mdeg=-4800), "clockwise", "the inputs of both ring sensors"),
        (turned(FIVE, b_mdeg=1300), "clockwise", "B is not a quarter of a pitch from A"),
    ],
)
def test_a_turned_rotor(reported, direction, note):
    """Three turns of 37 at least, both sensors alike, an index a turn, half way between ticks.

    By hand: five index pulses are four whole turns, so a magnet too few makes four pulses.
    """
    failures = failed(moving.turn_checks([], reported, direction, SINGLE))
    assert failures == [] if note is None else [note in each for each in failures] == [True]


def test_a_rotor_is_turned_the_other_way_too():
    """Then clockwise is the wrong direction; what was counted is compared as before."""
    for direction, count in (("counter_clockwise", 0), ("clockwise", 1), (None, 1)):
        checks = moving.turn_checks([], turned(FIVE), direction, SINGLE, moving.COUNTER_CLOCKWISE)
        assert len(failed(checks)) == count


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
    failures = failed(moving.pass_checks(lines(**pulses), "rim_1"))
    assert failures == [] if note is None else note in failures[0]


def throw(wheel, angles, missed=(), passes=60):
    """What the table reports of a ball thrown clockwise: where each sensor is, what it missed."""
    samples = lines(**dict.fromkeys(wheel.rims, passes))
    configured = dict(zip(wheel.rims[1:], wheel.rim_angles_mdeg, strict=True))
    samples += [sample(rim, "place", value - configured[rim]) for rim, value in angles.items()]
    return samples + [sample(rim, "missed", count) for rim, count in dict(missed).items()]


FOUR = Wheel(1, 0, 3, 0, (90_000, 180_000, 270_000))
THREE = Wheel(1, 0, 3, 0, (120_000, 240_000))
ANGLES = {"rim_2": 90_000, "rim_3": 180_000, "rim_4": 270_000}


@pytest.mark.parametrize(
    ("wheel", "measured", "notes"),
    [
        (SINGLE, {"rim_2": 91_000}, []),
        (SINGLE, {"rim_2": 65_020}, ["rim_angle_mdeg = 65000 corrects it"]),
        (SINGLE, {"rim_2": 270_100}, ["rim 2 is 270 degrees clockwise of rim 1, not 90"]),
        (THREE, {"rim_2": 119_000, "rim_3": 239_000}, []),
        (THREE, {"rim_2": 120_000, "rim_3": 265_000}, ["rim_3_angle_mdeg = 265000 corrects it"]),
        (FOUR, ANGLES | {"rim_3": 177_000}, []),
        (
            FOUR,
            ANGLES | {"rim_3": 165_000, "rim_4": 245_000},
            ["rim_3_angle_mdeg = 165000 corrects it", "rim_4_angle_mdeg = 245000 corrects it"],
        ),
        (FOUR, {"rim_2": 90_000, "rim_4": 270_000}, ["no two fast turns passed it"]),
        (SINGLE, {}, ["no two fast turns passed it"]),
    ],
)
def test_a_thrown_ball_measures_where_the_rim_sensors_are(wheel, measured, notes):
    """From rim sensor 1 on, clockwise; 4 degrees beside make no difference."""
    checks = moving.thrown([throw(wheel, measured)], wheel)
    assert len(checks) == 2 * len(wheel.rims) - 1
    for failure, expected in zip(failed(checks), notes, strict=True):
        assert failure.startswith(expected)


def test_a_rim_sensor_that_misses_the_ball_is_named():
    """Two misses in four throws; one may be electrical: then the ball is thrown twice as often."""
    right = {"rim_2": 90_000}
    looks = [throw(SINGLE, right, {"rim_2": 1}, 15)] * 2 + [throw(SINGLE, right, (), 15)] * 2
    [note] = failed(moving.thrown(looks, SINGLE))
    assert note.startswith("rim 2 missed 2 of about 60 passes")
    assert failed(moving.thrown(looks[1:] + looks[2:3], SINGLE)) == []
    assert not moving.suffices(looks[1:] + looks[2:3], SINGLE)
    assert not moving.suffices(looks[2:3] * 3, SINGLE)
    assert moving.suffices(looks[2:3] * 4, SINGLE)
    assert moving.suffices(looks[1:] + looks[2:3] * 5, SINGLE)


def test_too_few_passes_prove_nothing():
    """59 of 60."""
    [note] = failed(moving.thrown([throw(SINGLE, {"rim_2": 90_000}, (), 59)], SINGLE))
    assert note.startswith("59 passes in 1 throws")


def head(number, pocket, place=0, pulses=8):
    """What the head reported of a ball in a pocket."""
    verdict = "pass" if abs(place) <= 1945 else "fail"
    off = sample("head", "place", place, None, -1945, 1945, verdict)
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
    looks = dict(head(n, k) for n, k in zip(mounting_checks.probes(DOUBLE), pockets, strict=True))
    checks = mounting_checks.head(looks, DOUBLE)
    if note is None:
        assert [check.verdict for check in checks] == [PASS]
    else:
        assert note in failed(checks)[0]


def test_a_head_off_its_place_is_moved_first():
    """A quarter of a pocket is reader_offset's; about half is that of two reversed ring inputs."""
    for place, half in ((2400, False), (-4800, True)):
        [note] = failed(mounting_checks.head(dict([head("0", 0, place)]), SINGLE))
        assert "reader_offset corrects head_angle_mdeg" in note
        assert ("both ring sensors are reversed" in note) == half


def test_array_and_head_that_disagree():
    """With the pockets of both; nothing is said while one of them sees none, or two."""
    both = [sample("array", "pocket", 5), sample("head", "pocket", 8)]
    assert failed(mounting_checks.agree(both))[0].startswith("array 5, head 8;")
    assert failed(mounting_checks.agree([both[0], sample("head", "pocket", 5)])) == []
    assert mounting_checks.agree(both[:1]) == mounting_checks.agree(
        [sample("array", "pocket", -1), both[1]]
    )
    assert mounting_checks.agree([*both, sample("array", "pocket", 9)]) == []
