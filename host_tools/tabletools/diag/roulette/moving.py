"""Whether the ring, index and rim sensors of a roulette wheel report what moves past them.

The rotor turned both ways, a finger at each rim sensor, a ball thrown round; see mounting.
"""

from collections.abc import Iterator, Mapping, Sequence

from tablespec.roles.roulette import RIM_ANGLES
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import FAIL, PASS, Check, of_sample
from tabletools.diag.roulette.mounting_checks import (
    AT_REST,
    KEY,
    RIMS,
    Wheel,
    dead,
    exchange,
    other_wheel,
    values_of,
    words,
    wrong,
)
from tablewire.roulette import TICK_LOST, WHEEL_DOUBLE, WHEEL_SINGLE

LEAST_TURNS = 3  # after two the table has begun to follow the rotor
# Of a rim sensor: one that misses a tenth of them misses none of 60 in 2 walks of 1,000.
PASSES = 60
CLOCKWISE, COUNTER_CLOCKWISE = "clockwise", "counter_clockwise"
_ALIKE = 2  # pulses by which lines that tick together may differ: a look cuts them off anywhere
_SPARK = 1  # a pulse that is only electrical
_THREE_PASSES = range(2, 7)  # of a finger, which may miss one or tremble
_RIM_SLACK_MDEG = 4000  # as the table's own
_EXACT_MDEG = 100
_RING, _INDEX = ("rotor_a", "rotor_b"), "index"
_RIM_KEYS = dict(zip(RIMS[1:], RIM_ANGLES, strict=True))
_BESIDE_A = "ring sensor B is not a quarter of a pitch from A"
_HALF = 0.4  # pocket: half a pocket, less what magnets may be aside
_GAP = "its gap is too wide, a magnet is loose, or a wire"


def turn_checks(
    before: Sequence[SensorSample],
    samples: Sequence[SensorSample],
    direction: str | None,
    wheel: Wheel,
    way: str = CLOCKWISE,
) -> list[Check]:
    """The checks of an empty wheel whose rotor was turned one way by hand, three times and more.

    before: the samples of a rest. direction: of the rotor as the table reported it.
    """
    pulses = values_of(samples, "pulses")
    most = max(pulses.values(), default=0)
    if most < LEAST_TURNS * wheel.pockets:
        note = f"fewer than {LEAST_TURNS} turns: turn it faster, or no ring sensor works"
        return [wrong("rotor: turned", note, most)]
    checks = list(_ring(pulses, most, wheel))
    if any(check.verdict == FAIL for check in checks):
        return checks
    both = [s.level for s in (*before, *samples) if s.sensor == _INDEX and s.level == 1]
    if len(both) == 2:
        checks.append(
            wrong(
                "index: level", "active wherever the rotor stops: its input is reversed" + KEY, 1
            )
        )
    checks.append(_direction(direction, way))
    checks += _whole_turns(samples, pulses, wheel)
    return checks


def _ring(pulses: Mapping[str, int], most: int, wheel: Wheel) -> Iterator[Check]:
    turns = most / wheel.pockets
    fast = {name for name, count in pulses.items() if count > most - _ALIKE - most // 20}
    slow = {n for n, count in pulses.items() if abs(count - turns) <= _ALIKE}
    strangers = sorted(fast - set(_RING))
    for name in _RING:
        if name in fast:
            yield Check(f"{words(name)}: ticks", PASS, pulses[name], "pulses")
        elif strangers:
            yield exchange(name, strangers.pop(0))
        else:
            yield _weak(name, pulses.get(name, 0), most)
    moved = [name for name in AT_REST if pulses.get(name, 0) > _ALIKE and name not in fast]
    if _INDEX in slow:
        yield Check("index: ticks", PASS, pulses[_INDEX], "pulses")
    elif moved and moved[0] in slow:
        yield exchange(_INDEX, moved.pop(0))
    elif abs(pulses.get(_INDEX, 0) - 2 * turns) <= 2 * _ALIKE:
        note = "two pulses a turn: two magnets on the track of the index"
        yield wrong("index: line", note, pulses[_INDEX])
    elif _INDEX not in fast:
        yield _weak(_INDEX, pulses.get(_INDEX, 0), round(turns))
    for name in moved + [line for line in strangers if line in AT_REST]:
        yield wrong(
            f"{words(name)}: rotor",
            f"{words(name)} sees the rotor: turn it away, or lower its range",
            pulses[name],
        )


def _weak(name: str, count: int, most: int) -> Check:
    if not count:
        return dead(name, 0)
    note = f"{words(name)} misses {most - count} of {most} pulses: {_GAP}"
    if name == _INDEX:
        note = _without_index(most - count)
    return wrong(f"{words(name)}: line", note, count)


def _without_index(turns: int) -> str:
    return f"{turns} of the turns have no index: {_GAP}"


def _direction(direction: str | None, way: str) -> Check:
    name, spoken = "rotor: direction", way.replace("_", "-")
    if direction == way:
        return Check(name, PASS, note=spoken)
    if direction is None:
        return wrong(name, f"not known: turn it evenly, and try again, or {_BESIDE_A}")
    reported = direction.replace("_", "-")
    note = f"turned {spoken}, reported {reported}: ring sensors A and B are exchanged,"
    return wrong(name, f"{note} or the input of one is reversed{KEY}")


def _whole_turns(
    samples: Sequence[SensorSample], pulses: Mapping[str, int], wheel: Wheel
) -> Iterator[Check]:
    # What the table counted from index to index, and where index and sensor B are between ticks.
    missed = values_of(samples, "missed")
    if _RING[0] not in missed:
        yield wrong(
            "rotor: whole turns",
            "the table counted none: turn it evenly, one way; a"
            " firmware older than this walk counts none",
        )
        return
    is_lost = values_of(samples, "error").get(_INDEX) == TICK_LOST
    yield _count(missed, pulses, wheel, is_lost)
    for sample in samples:
        if sample.quantity == "place" and sample.sensor in (_INDEX, _RING[1]):
            yield _between_ticks(sample, wheel)


def _count(
    missed: Mapping[str, int], pulses: Mapping[str, int], wheel: Wheel, is_lost: bool
) -> Check:
    name, (a, b) = "rotor: pulses of its turns", (missed[sensor] for sensor in _RING)
    if abs(a) <= _SPARK and abs(b) <= _SPARK:
        if is_lost:
            note = "all magnets are counted, and a ring magnet is off its place"
            return wrong(name, note)
        return Check(name, PASS, pulses[_RING[0]], "pulses")
    if abs(a - b) > _SPARK:
        sensor, far = max(zip(_RING, (a, b), strict=True), key=lambda pair: abs(pair[1]))
        what = "misses" if far > 0 else "adds"
        return wrong(name, f"{words(sensor)} {what} {abs(far)} of {pulses[sensor]} pulses: {_GAP}")
    return wrong(name, _of_magnets(a, pulses[_INDEX], wheel))


def _of_magnets(missed: int, indexes: int, wheel: Wheel) -> str:
    # Both ring sensors miss as many pulses: what is on the rotor is another than configured.
    n = wheel.pockets
    if missed < 0 and abs(missed - n * round(missed / n)) <= _ALIKE and missed <= _ALIKE - n:
        return _without_index(round(-missed / n))
    each = round(missed / max(indexes - 1, 1))
    if each == 0:
        return f"both ring sensors miss {missed} pulses: {_GAP}"
    plural = "s" * (abs(each) > 1)
    magnets = f"lacks {each} magnet{plural}"
    if each < 0:
        magnets = f"has {-each} magnet{plural} too many"
    if each == {WHEEL_SINGLE: -1, WHEEL_DOUBLE: 1}[wheel.wheel]:
        right = other_wheel(wheel.wheel)
        return f"not {n}: wheel = {right} corrects it, unless the ring {magnets}"
    return f"the ring {magnets}, or one shows its north pole"


def _between_ticks(sample: SensorSample, wheel: Wheel) -> Check:
    # Half a pocket aside the order of ticks and index is another one way than the other way.
    check = of_sample(sample)
    if check.verdict != FAIL:
        return check
    if sample.sensor != _INDEX:
        return wrong(check.name, _BESIDE_A + KEY, check.value)
    far = abs(sample.value) * wheel.pockets / 360_000
    note = f"{far:.2f} pocket aside: the index magnet is not half way between two ring magnets"
    if far > _HALF:
        note += ", or the inputs of both ring sensors are reversed"
    return wrong(check.name, note + KEY, check.value)


def pass_checks(samples: Sequence[SensorSample], rim: str) -> list[Check]:
    """The checks of a finger that went three times past one rim sensor, and past nothing else.

    A rotor that still turns meanwhile ticks more often than a finger passes.
    """
    pulses = {
        n: count for n, count in values_of(samples, "pulses").items() if count in _THREE_PASSES
    }
    name = f"{words(rim)}: a finger"
    if rim in pulses:
        return [Check(name, PASS, pulses[rim], "pulses", min(_THREE_PASSES), max(_THREE_PASSES))]
    if pulses:
        return [exchange(rim, min(pulses, key=lambda line: abs(pulses[line] - 3)))]
    return [dead(rim, 0)]


def suffices(looks: Sequence[Sequence[SensorSample]], wheel: Wheel) -> bool:
    """Whether a ball was thrown often enough: twice as often once a sensor has missed it."""
    missed = sum(_sum(looks, "missed", rim) for rim in wheel.rims)
    return _passes(looks, wheel) >= PASSES * (2 if missed else 1)


def _passes(looks: Sequence[Sequence[SensorSample]], wheel: Wheel) -> int:
    # How often a ball passed the rim sensor that detected it most.
    return max(_sum(looks, "pulses", rim) for rim in wheel.rims)


def _sum(looks: Sequence[Sequence[SensorSample]], quantity: str, sensor: str) -> int:
    return sum(values_of(samples, quantity).get(sensor, 0) for samples in looks)


def thrown(looks: Sequence[Sequence[SensorSample]], wheel: Wheel) -> list[Check]:
    """The checks of a ball that was thrown clockwise along the rim, once a look.

    What each rim sensor missed, and where it is.
    """
    most = _passes(looks, wheel)
    if most < PASSES:
        note = f"{most} passes in {len(looks)} throws, {PASSES} are needed: throw it faster"
        return [wrong("ball: passes", note, most)]
    checks = [_misses(rim, _sum(looks, "missed", rim), most) for rim in wheel.rims]
    if any(check.verdict == FAIL for check in checks):
        return checks
    for rim, angle in zip(wheel.rims[1:], wheel.rim_angles_mdeg, strict=True):
        aside = [
            values_of(samples, "place")[rim]
            for samples in looks
            if rim in values_of(samples, "place")
        ]
        checks.append(_rim_angle(rim, aside[-1] if aside else None, angle))
    return checks


def _misses(rim: str, missed: int, most: int) -> Check:
    name = f"{words(rim)}: passes"
    if missed <= _SPARK:
        return Check(name, PASS, missed, "missed", 0, _SPARK)
    note = f"{words(rim)} missed {missed} of about {most} passes: clean and align it, and look"
    return wrong(name, f"{note} at its wire and supply", missed)


def _rim_angle(rim: str, aside_mdeg: int | None, configured_mdeg: int) -> Check:
    name = f"{words(rim)}: angle"
    if aside_mdeg is None:
        note = "no two fast turns passed it and rim sensor 1: throw the ball faster"
        return wrong(name, note)
    low, high = configured_mdeg - _RIM_SLACK_MDEG, configured_mdeg + _RIM_SLACK_MDEG
    angle = round((configured_mdeg + aside_mdeg) / _EXACT_MDEG) * _EXACT_MDEG
    if low <= angle <= high:
        return Check(name, PASS, angle, "mdeg", low, high)
    if low <= 360_000 - angle <= high:
        note = f"{words(rim)} is {angle / 1000:.0f} degrees clockwise of rim 1, not"
        note += f" {configured_mdeg / 1000:.0f}, or the ball ran counter-clockwise{KEY}"
    else:
        note = f"{_RIM_KEYS[rim]} = {angle} corrects it, or a rim sensor is misplaced"
    return wrong(name, note, angle)
