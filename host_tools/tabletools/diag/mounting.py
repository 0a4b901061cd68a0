"""Whether a roulette wheel is mounted, wired and configured as WIRING.md has it.

What the table reports while a technician does one thing after the other (walk.py), compared with
what the same acts give on a right wheel; where they differ, the mounting fault that explains it
and the configuration key that corrects it, if one does. No port, no table.

Samples are records of sensor_sample. Pockets count clockwise from the index, 0 is number 0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tablelogic.roulette import wheels
from tablespec.roles.roulette import RIM_ANGLES
from tabletools.decode import Record
from tabletools.diag.check import FAIL, PASS, SKIP, Check, of_sample
from tablewire.roulette import (
    POCKET_SENSOR_ARRAY,
    POCKET_SENSOR_HEAD,
    TICK_LOST,
    WHEEL_DOUBLE,
    WHEEL_SINGLE,
)

WRONG = 1009
FIRST = "correct what failed above, then walk again"
LEAST_TURNS = 3  # after two the table has begun to follow the rotor
REGISTER, REGISTERS = 8, 5
_ALIKE = 2  # pulses by which lines that tick together may differ: a look cuts them off anywhere
_THREE_PASSES = range(2, 7)  # of a finger, which may miss one or tremble
_NEARLY_ALL = 30  # of 40 switches: none of them by itself
_RING, _INDEX = ("rotor_a", "rotor_b"), "index"
_RIMS = ("rim_1", "rim_2", "rim_3", "rim_4")
_RIM_KEYS = dict(zip(_RIMS[1:], RIM_ANGLES, strict=True))
_AT_REST = (*_RIMS, "head")
_KEY = "; no key corrects it"


@dataclass(frozen=True)
class Wheel:
    """How a table is configured: the keys of these names.

    rim_angles_mdeg: of each rim sensor after the first.
    """

    wheel: int
    reading_direction: int
    pocket_sensor: int
    index_offset: int
    rim_angles_mdeg: tuple[int, ...] = (90_000,)

    @property
    def pockets(self) -> int:
        """37 or 38."""
        return len(wheels.order(self.wheel))

    @property
    def numbers(self) -> list[str]:
        """What is printed, in the order of the pockets."""
        return _printed(self.wheel, self.reading_direction)

    @property
    def rims(self) -> tuple[str, ...]:
        """The names of its rim sensors."""
        return _RIMS[: len(self.rim_angles_mdeg) + 1]

    @property
    def has_array(self) -> bool:
        """Whether each pocket has a switch."""
        return bool(self.pocket_sensor != POCKET_SENSOR_HEAD)

    @property
    def has_head(self) -> bool:
        """Whether a reader head is fitted next to the rotor."""
        return bool(self.pocket_sensor != POCKET_SENSOR_ARRAY)

    def named(self, pocket: int) -> str:
        """A pocket with its number, as far as it has one."""
        if pocket < self.pockets:
            return f"pocket {pocket} (number {self.numbers[pocket]})"
        return f"input {pocket} (no pocket)"


def _printed(wheel: int, reading_direction: int) -> list[str]:
    found = []
    for pocket in range(len(wheels.order(wheel))):
        number = wheels.number(wheel, pocket, reading_direction)
        found.append("00" if number == wheels.DOUBLE_ZERO else str(number))
    return found


def _wrong(name: str, note: str, value: int | None = None) -> Check:
    return Check(name, FAIL, value, code=WRONG, note=note)


def _of(samples: Sequence[Record], quantity: str) -> dict[str, int]:
    return {s["sensor"]: s["value"] for s in samples if s["quantity"] == quantity}


def closed(samples: Sequence[Record]) -> frozenset[int]:
    """The switches of the array that are closed, by pocket."""
    return frozenset(
        s["value"] for s in samples
        if s["sensor"] == "array" and s["quantity"] == "pocket" and s["value"] >= 0
    )  # fmt: skip


# --- rotor, rim and head ---------------------------------------------------------------------


def at_rest(samples: Sequence[Record], wheel: Wheel) -> list[Check]:
    """The checks of a wheel that is empty and at rest, with no hand near it."""
    checks = []
    for sample in samples:
        name = sample["sensor"]
        if sample["quantity"] == "pulses" and name in _AT_REST:
            what = f"{_words(name)}: at rest"
            if sample["level"] == 1:
                note = "active with nothing at it: its input is reversed, or its line is shorted"
                checks.append(_wrong(what, note + _KEY, 1))
            else:
                checks.append(Check(what, PASS, 0))
    if wheel.has_array:
        checks += _empty_array(closed(samples), wheel)
    return checks


def _empty_array(found: frozenset[int], wheel: Wheel) -> list[Check]:
    name = "array: empty wheel"
    if len(found) >= _NEARLY_ALL:
        note = "nearly all switches are closed: they are reversed, or the data line is shorted"
        return [_wrong(name, note + _KEY, len(found))]
    if not found:
        return [Check(name, PASS, 0, "switches closed")]
    return [
        _wrong(name, f"{wheel.named(k)}: its switch is shorted, or a magnet is at it", k)
        for k in sorted(found)
    ]


def turned(
    before: Sequence[Record], samples: Sequence[Record], direction: str | None, wheel: Wheel
) -> list[Check]:
    """The checks of an empty wheel whose rotor was turned clockwise by hand, three times and more.

    before: the samples of a rest. direction: of the rotor as the table reported it.
    """
    pulses = _of(samples, "pulses")
    most = max(pulses.values(), default=0)
    if most < LEAST_TURNS * wheel.pockets:
        note = f"fewer than {LEAST_TURNS} turns: turn it faster, or no ring sensor works"
        return [_wrong("rotor: turned", note, most)]
    checks = list(_ring(pulses, most, wheel))
    if any(check.verdict == FAIL for check in checks):
        return checks
    both = [s["level"] for s in (*before, *samples) if s["sensor"] == _INDEX and s["level"] == 1]
    if len(both) == 2:
        checks.append(_wrong("index: level", "active wherever the rotor stops: its input is"
                             " reversed" + _KEY, 1))  # fmt: skip
    if _of(samples, "error").get(_INDEX) == TICK_LOST:
        note = f"not {wheel.pockets}: wheel = {_other(wheel.wheel)} corrects it"
        checks.append(_wrong("index: pulses of a turn", f"{note}, unless the ring lacks a magnet"))
    if direction == "counter_clockwise":
        note = "turned clockwise, reported counter-clockwise: ring sensors A and B are exchanged,"
        checks.append(_wrong("rotor: direction", f"{note} or the input of one is reversed{_KEY}"))
    elif direction is None:
        checks.append(_wrong("rotor: direction", "not known: turn it evenly, and try again"))
    else:
        checks.append(Check("rotor: direction", PASS, note="clockwise"))
    return checks


def _other(wheel: int) -> int:
    return int(WHEEL_SINGLE if wheel == WHEEL_DOUBLE else WHEEL_DOUBLE)


def _ring(pulses: Mapping[str, int], most: int, wheel: Wheel) -> Iterator[Check]:
    fast = {name for name, count in pulses.items() if count > most - _ALIKE - most // 20}
    slow = {n for n, count in pulses.items() if abs(count - most / wheel.pockets) <= _ALIKE}
    strangers = sorted(fast - set(_RING))
    for name in _RING:
        if name in fast:
            yield Check(f"{_words(name)}: ticks", PASS, pulses[name], "pulses")
        elif strangers:
            yield _exchanged(name, strangers.pop(0))
        else:
            yield _dead(name, pulses.get(name, 0))
    if _INDEX in slow:
        yield Check("index: ticks", PASS, pulses[_INDEX], "pulses")
    elif _INDEX not in fast:
        yield _dead(_INDEX, pulses.get(_INDEX, 0))


def passed(samples: Sequence[Record], rim: str) -> list[Check]:
    """The checks of a finger that went three times past one rim sensor, and past nothing else.

    A rotor that still turns meanwhile ticks more often than a finger passes.
    """
    pulses = {n: count for n, count in _of(samples, "pulses").items() if count in _THREE_PASSES}
    name = f"{_words(rim)}: a finger"
    if rim in pulses:
        return [Check(name, PASS, pulses[rim], "pulses", min(_THREE_PASSES), max(_THREE_PASSES))]
    if pulses:
        return [_exchanged(rim, min(pulses, key=lambda line: abs(pulses[line] - 3)))]
    return [_dead(rim, 0)]


def thrown(samples: Sequence[Record], wheel: Wheel) -> list[Check]:
    """The checks of a ball that was thrown along the rim: where each rim sensor is."""
    found = {s["sensor"]: s for s in samples if s["quantity"] == "angle"}
    angles = zip(wheel.rims[1:], wheel.rim_angles_mdeg, strict=True)
    return [_rim_angle(rim, found.get(rim), angle) for rim, angle in angles]


def _rim_angle(rim: str, sample: Record | None, configured_mdeg: int) -> Check:
    if sample is None:
        note = "no two fast turns passed it and rim sensor 1: throw the ball faster"
        return _wrong(f"{_words(rim)}: angle", note)
    check = of_sample(sample)
    if check.verdict != FAIL or check.value is None:
        return check
    # The table measures the shorter way round; both may be as near to what is configured.
    ways = {check.value, 360_000 - check.value}
    least = min(abs(way - configured_mdeg) for way in ways)
    near = [str(way) for way in sorted(ways) if abs(way - configured_mdeg) == least]
    note = f"{_RIM_KEYS[rim]} = {' or '.join(near)} corrects it, or a rim sensor is misplaced"
    return replace(check, code=WRONG, note=note)


def _exchanged(one: str, other: str) -> Check:
    note = f"the lines of {_words(one)} and {_words(other)} are exchanged{_KEY}"
    return _wrong(f"{_words(one)}: line", note)


def _dead(name: str, count: int) -> Check:
    return _wrong(f"{_words(name)}: line", f"{count} pulses: the sensor is dead, its line is cut,"
                  " or its gap is too wide", count)  # fmt: skip


def _words(name: str) -> str:
    return name.replace("_", " ")


# --- the pocket array ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wiring:
    """One way to wire an array wrong: the input a pocket's switch reaches, if there is such."""

    what: str
    input_of: Callable[[int, int], int]


def _swapped(one: int, other: int) -> Callable[[int, int], int]:
    to = {one: other, other: one}

    def input_of(pocket: int, _pockets: int) -> int:
        register = pocket // REGISTER
        return to.get(register, register) * REGISTER + pocket % REGISTER

    return input_of


_WIRINGS = (
    _Wiring("the ring of switches is one pocket too far forward", lambda k, n: (k + 1) % n),
    _Wiring("the ring of switches is one pocket too far back", lambda k, n: (k - 1) % n),
    _Wiring("the chain is read one place late: look at clock and latch", lambda k, n: k + 1),
    _Wiring("the chain is read one place early: look at clock and latch", lambda k, n: k - 1),
    _Wiring("the chain of registers begins at its other end",
            lambda k, n: (REGISTERS - 1 - k // REGISTER) * REGISTER + k % REGISTER),
    _Wiring("the inputs of each register are wired backwards",
            lambda k, n: k - k % REGISTER + REGISTER - 1 - k % REGISTER),
    _Wiring("the whole chain is wired backwards", lambda k, n: REGISTERS * REGISTER - 1 - k),
    *(_Wiring(f"registers {one + 1} and {other + 1} are exchanged", _swapped(one, other))
      for one in range(REGISTERS) for other in range(one + 1, REGISTERS)),
)  # fmt: skip


def array(
    reads: Mapping[str, frozenset[int]], at_rest: frozenset[int], wheel: Wheel
) -> list[Check]:
    """The checks of a ball that was placed in each pocket.

    reads: by the number it was laid into, the switches that closed beside those of at_rest.
    """
    name = "array: pockets that read as themselves"
    if len(at_rest) >= _NEARLY_ALL:
        return [Check(name, SKIP, note=FIRST)]
    place = {number: pocket for pocket, number in enumerate(wheel.numbers)}
    right = sum(found == {place[number]} for number, found in reads.items())
    if right == len(reads) == wheel.pockets:
        return [Check(name, PASS, right, low=right, high=right)]
    checks = [Check(name, FAIL, right, low=wheel.pockets, high=wheel.pockets, code=WRONG)]
    if not any(reads.values()):
        note = "no switch closed: data line, clock, latch or supply of the array"
        return [*checks, _wrong("array: silent", note + _KEY)]
    single = {number: min(found) for number, found in reads.items() if len(found) == 1}
    if any(place[number] != k for number, k in single.items()):
        explained = _of_keys(single, wheel) or _of_wiring(reads, single, place, wheel)
        if explained:
            return [*checks, explained]
    silent = {place[number] for number, found in reads.items() if not found} - at_rest
    checks += _silent(silent, wheel)
    checks += _joined(reads, wheel)
    return checks + list(_misplaced(single, place, wheel))


def _of_keys(single: Mapping[str, int], wheel: Wheel) -> Check | None:
    # Another wheel, or another direction, in which every switch that closed is right.
    for size in (wheel.wheel, _other(wheel.wheel)):
        for way in (wheel.reading_direction, 1 - wheel.reading_direction):
            numbers = _printed(size, way)
            if not all(k < len(numbers) and numbers[k] == n for n, k in single.items()):
                continue
            keys = [f"wheel = {size}"] * (size != wheel.wheel)
            keys += [f"reading_direction = {way}"] * (way != wheel.reading_direction)
            note = f"the wheel is another than configured: {' and '.join(keys)} corrects it"
            if way != wheel.reading_direction and wheel.has_head:
                note += ", unless the head reads right: then the array is wired counter-clockwise"
            return _wrong("array: configuration", note)
    return None


def _of_wiring(
    reads: Mapping[str, frozenset[int]],
    single: Mapping[str, int],
    place: Mapping[str, int],
    wheel: Wheel,
) -> Check | None:
    # The wiring that explains every switch that closed, and most of those that did not.
    def input_of(wiring: _Wiring, number: str) -> int:
        return wiring.input_of(place[number], wheel.pockets)

    fitting = [w for w in _WIRINGS if all(input_of(w, n) == k for n, k in single.items())]
    if not fitting:
        return None
    silent = [number for number, found in reads.items() if not found]
    inputs = range(REGISTER * REGISTERS)
    best = min(fitting, key=lambda w: sum(input_of(w, number) in inputs for number in silent))
    return _wrong("array: wiring", best.what + _KEY)


def _silent(pockets: set[int], wheel: Wheel) -> Iterator[Check]:
    left = set(pockets)
    for register in range(REGISTERS):
        own = set(range(register * REGISTER, min((register + 1) * REGISTER, wheel.pockets)))
        if len(own) > 1 and own <= left:
            left -= own
            what = f"register {register + 1} reports nothing (pockets {min(own)} to {max(own)})"
            yield _wrong("array: register", what + _KEY)
    for pocket in sorted(left):
        yield _wrong("array: switch", f"{wheel.named(pocket)}: its switch is dead", pocket)


def _joined(reads: Mapping[str, frozenset[int]], wheel: Wheel) -> Iterator[Check]:
    for together in sorted({tuple(sorted(found)) for found in reads.values() if len(found) > 1}):
        what = " and ".join(wheel.named(pocket) for pocket in together)
        yield _wrong("array: switches", f"{what} close together: their wires touch")


def _misplaced(
    single: Mapping[str, int], place: Mapping[str, int], wheel: Wheel
) -> Iterator[Check]:
    reads = {place[number]: k for number, k in single.items() if place[number] != k}
    for pocket, shown in sorted(reads.items()):
        if reads.get(shown) == pocket:
            if pocket < shown:
                what = f"the switches of {wheel.named(pocket)} and {wheel.named(shown)}"
                yield _wrong("array: switches", f"{what} are exchanged{_KEY}")
        else:
            what = f"{wheel.named(pocket)} reads as {wheel.named(shown)}"
            yield _wrong("array: switch", what + _KEY, shown)


# --- the reader head -------------------------------------------------------------------------


def probes(wheel: Wheel) -> list[str]:
    """The numbers that a head has to read.

    It reads every pocket by the same sensor and the same index, so three at unequal distances tell
    an offset from a mirror; each turn of the ring is counted besides.
    """
    return [wheel.numbers[pocket] for pocket in (0, 5, 16)]


def head(samples: Mapping[str, Sequence[Record]], wheel: Wheel) -> list[Check]:
    """The checks of a ball that was placed in each of probes while the rotor turned.

    samples: by the number, of a look while the rotor turned.
    """
    reads: list[tuple[int, int]] = []
    for number, found in samples.items():
        own = {s["quantity"]: s for s in found if s["sensor"] == "head"}
        if not own["pulses"]["value"]:
            return [_dead("head", 0)]
        if "pocket" not in own:
            note = "it saw the ball, and no turn of the rotor was counted right"
            return [_wrong("head: pocket", note + _KEY)]
        place = of_sample(own["place"])
        if place.verdict == FAIL:
            half = abs(own["place"]["value"]) > 360_000 // wheel.pockets // 3
            note = "--calibrate reader_offset corrects head_angle_mdeg"
            note += "; half a pocket: the inputs of both ring sensors are reversed" * half
            return [replace(place, code=WRONG, note=note)]
        reads.append((wheel.numbers.index(number), own["pocket"]["value"]))
    return [_head_pockets(reads, wheel)]


def _head_pockets(reads: Sequence[tuple[int, int]], wheel: Wheel) -> Check:
    # reads: a ball's pocket, and the one that the head read.
    name, n = "head: pockets that read as themselves", wheel.pockets
    shifts = {(true - shown) % n for true, shown in reads}
    if shifts == {0}:
        return Check(name, PASS, len(reads), low=len(reads), high=len(reads))
    if len(shifts) == 1:
        shift = min(shifts)
        offset = (wheel.index_offset + shift) % n
        far, where = (shift, "back") if shift <= n // 2 else (n - shift, "on")
        aside = f"reads {far} pocket{'s' * (far > 1)} too far {where}"
        note = f"index_offset = {offset} corrects it, or the index magnet is misplaced"
        return _wrong(name, f"{aside}: {note}", 0)
    if len({(true + shown) % n for true, shown in reads}) == 1:
        note = f"reading_direction = {1 - wheel.reading_direction} corrects it"
        return _wrong(name, f"they read the other way round: {note}", 0)
    shown = ", ".join(f"{wheel.named(true)} as {wheel.named(pocket)}" for true, pocket in reads)
    return _wrong(name, shown, sum(true == pocket for true, pocket in reads))


def agree(samples: Sequence[Record]) -> list[Check]:
    """The check of a ball that both array and head see; none where one of them sees no pocket."""
    seen = closed(samples)
    pocket = next((s["value"] for s in samples
                   if s["sensor"] == "head" and s["quantity"] == "pocket"), None)  # fmt: skip
    if pocket is None or len(seen) != 1:
        return []
    name = "array and head"
    if seen == {pocket}:
        return [Check(name, PASS, pocket, note="the same pocket")]
    return [_wrong(name, f"array {min(seen)}, head {pocket}; which is right: --calibrate pockets")]
