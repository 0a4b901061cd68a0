"""Whether a roulette wheel is mounted, wired and configured as WIRING.md has it.

What the table reports while a technician does one thing after the other (walk.py), compared with
what the same acts give on a right wheel; where they differ, the mounting fault that explains it
and the configuration key that corrects it, if one does. No port, no table.

Pockets count clockwise from the index, 0 is number 0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tablelogic.roulette import wheels
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import FAIL, PASS, SKIP, Check, of_sample
from tablewire.roulette import (
    POCKET_SENSOR_ARRAY,
    POCKET_SENSOR_HEAD,
    WHEEL_DOUBLE,
    WHEEL_SINGLE,
)

WRONG = 1009
FIRST = "correct what failed above, then walk again"
REGISTER, REGISTERS = 8, 5
_NEARLY_ALL = 30  # of 40 switches: none of them by itself
RIMS = ("rim_1", "rim_2", "rim_3", "rim_4")
AT_REST = (*RIMS, "head")
KEY = "; no key corrects it"


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
        return _print_order(self.wheel, self.reading_direction)

    @property
    def rims(self) -> tuple[str, ...]:
        """The names of its rim sensors."""
        return RIMS[: len(self.rim_angles_mdeg) + 1]

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


def _print_order(wheel: int, reading_direction: int) -> list[str]:
    printed = []
    for pocket in range(len(wheels.order(wheel))):
        number = wheels.number(wheel, pocket, reading_direction)
        printed.append("00" if number == wheels.DOUBLE_ZERO else str(number))
    return printed


def wrong(name: str, note: str, value: int | None = None) -> Check:
    """A failed check; the note says which fault it is."""
    return Check(name, FAIL, value, code=WRONG, note=note)


def values_of(samples: Sequence[SensorSample], quantity: str) -> dict[str, int]:
    """What the samples report of a quantity, by sensor."""
    return {s.sensor or "": s.value for s in samples if s.quantity == quantity}


def words(name: str) -> str:
    """The name of a sensor, as it is spoken."""
    return name.replace("_", " ")


def dead(name: str, count: int) -> Check:
    """The check of a line that switched so often, and should have oftener."""
    return wrong(
        f"{words(name)}: line",
        f"{count} pulses: the sensor is dead, its line is cut, or its gap is too wide",
        count,
    )


def exchange(one: str, other: str) -> Check:
    """The check of a line on which another sensor reports."""
    note = f"the lines of {words(one)} and {words(other)} are exchanged{KEY}"
    return wrong(f"{words(one)}: line", note)


def other_wheel(wheel: int) -> int:
    """The value of the key `wheel` that it does not have."""
    return int(WHEEL_SINGLE if wheel == WHEEL_DOUBLE else WHEEL_DOUBLE)


def closed_switches(samples: Sequence[SensorSample]) -> frozenset[int]:
    """The switches of the array that are closed, by pocket."""
    return frozenset(
        s.value for s in samples if s.sensor == "array" and s.quantity == "pocket" and s.value >= 0
    )


# --- an empty wheel ---------------------------------------------------------------------------


def at_rest(samples: Sequence[SensorSample], wheel: Wheel) -> list[Check]:
    """The checks of a wheel that is empty and at rest, with no hand near it."""
    checks = []
    for sample in samples:
        name = sample.sensor
        if sample.quantity == "pulses" and name in AT_REST:
            what = f"{words(name)}: at rest"
            if sample.level == 1:
                note = "active with nothing at it: its input is reversed, or its line is shorted"
                checks.append(wrong(what, note + KEY, 1))
            else:
                checks.append(Check(what, PASS, 0))
    if wheel.has_array:
        checks += _empty_array(closed_switches(samples), wheel)
    return checks


def _empty_array(closed_at_rest: frozenset[int], wheel: Wheel) -> list[Check]:
    name = "array: empty wheel"
    if len(closed_at_rest) >= _NEARLY_ALL:
        note = "nearly all switches are closed: they are reversed, or the data line is shorted"
        return [wrong(name, note + KEY, len(closed_at_rest))]
    if not closed_at_rest:
        return [Check(name, PASS, 0, "switches closed")]
    return [
        wrong(name, f"{wheel.named(k)}: its switch is shorted, or a magnet is at it", k)
        for k in sorted(closed_at_rest)
    ]


# --- the pocket array ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wiring:
    """One way to wire an array wrong: the input a pocket's switch reaches, if there is such."""

    what: str
    input_of: Callable[[int, int], int]


def _swap(one: int, other: int) -> Callable[[int, int], int]:
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
    _Wiring(
        "the chain of registers begins at its other end",
        lambda k, n: (REGISTERS - 1 - k // REGISTER) * REGISTER + k % REGISTER,
    ),
    _Wiring(
        "the inputs of each register are wired backwards",
        lambda k, n: k - k % REGISTER + REGISTER - 1 - k % REGISTER,
    ),
    _Wiring("the whole chain is wired backwards", lambda k, n: REGISTERS * REGISTER - 1 - k),
    *(
        _Wiring(f"registers {one + 1} and {other + 1} are exchanged", _swap(one, other))
        for one in range(REGISTERS)
        for other in range(one + 1, REGISTERS)
    ),
)


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
    right = sum(places == {place[number]} for number, places in reads.items())
    if right == len(reads) == wheel.pockets:
        return [Check(name, PASS, right, low=right, high=right)]
    checks = [Check(name, FAIL, right, low=wheel.pockets, high=wheel.pockets, code=WRONG)]
    if not any(reads.values()):
        note = "no switch closed: data line, clock, latch or supply of the array"
        return [*checks, wrong("array: silent", note + KEY)]
    single = {number: min(places) for number, places in reads.items() if len(places) == 1}
    if any(place[number] != k for number, k in single.items()):
        explained = _of_keys(single, wheel) or _of_wiring(reads, single, place, wheel)
        if explained:
            return [*checks, explained]
    silent = {place[number] for number, places in reads.items() if not places} - at_rest
    checks += _silent(silent, wheel)
    checks += _joins(reads, wheel)
    return checks + list(_wrong_place(single, place, wheel))


def _of_keys(single: Mapping[str, int], wheel: Wheel) -> Check | None:
    # Another wheel, or another direction, in which every switch that closed is right.
    for size in (wheel.wheel, other_wheel(wheel.wheel)):
        for way in (wheel.reading_direction, 1 - wheel.reading_direction):
            numbers = _print_order(size, way)
            if not all(k < len(numbers) and numbers[k] == n for n, k in single.items()):
                continue
            keys = [f"wheel = {size}"] * (size != wheel.wheel)
            keys += [f"reading_direction = {way}"] * (way != wheel.reading_direction)
            note = f"the wheel is another than configured: {' and '.join(keys)} corrects it"
            if way != wheel.reading_direction and wheel.has_head:
                note += ", unless the head reads right: then the array is wired counter-clockwise"
            return wrong("array: configuration", note)
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
    silent = [number for number, places in reads.items() if not places]
    inputs = range(REGISTER * REGISTERS)
    best = min(fitting, key=lambda w: sum(input_of(w, number) in inputs for number in silent))
    return wrong("array: wiring", best.what + KEY)


def _silent(pockets: set[int], wheel: Wheel) -> Iterator[Check]:
    left = set(pockets)
    for register in range(REGISTERS):
        own = set(range(register * REGISTER, min((register + 1) * REGISTER, wheel.pockets)))
        if len(own) > 1 and own <= left:
            left -= own
            what = f"register {register + 1} reports nothing (pockets {min(own)} to {max(own)})"
            yield wrong("array: register", what + KEY)
    for pocket in sorted(left):
        yield wrong("array: switch", f"{wheel.named(pocket)}: its switch is dead", pocket)


def _joins(reads: Mapping[str, frozenset[int]], wheel: Wheel) -> Iterator[Check]:
    for together in sorted({tuple(sorted(read)) for read in reads.values() if len(read) > 1}):
        what = " and ".join(wheel.named(pocket) for pocket in together)
        yield wrong("array: switches", f"{what} close together: their wires touch")


def _wrong_place(
    single: Mapping[str, int], place: Mapping[str, int], wheel: Wheel
) -> Iterator[Check]:
    reads = {place[number]: k for number, k in single.items() if place[number] != k}
    for pocket, read in sorted(reads.items()):
        if reads.get(read) == pocket:
            if pocket < read:
                what = f"the switches of {wheel.named(pocket)} and {wheel.named(read)}"
                yield wrong("array: switches", f"{what} are exchanged{KEY}")
        else:
            what = f"{wheel.named(pocket)} reads as {wheel.named(read)}"
            yield wrong("array: switch", what + KEY, read)


# --- the reader head -------------------------------------------------------------------------


def probes(wheel: Wheel) -> list[str]:
    """The numbers that a head has to read.

    It reads every pocket by the same sensor and the same index, so three at unequal distances tell
    an offset from a mirror; each turn of the ring is counted besides.
    """
    return [wheel.numbers[pocket] for pocket in (0, 5, 16)]


def head(samples: Mapping[str, Sequence[SensorSample]], wheel: Wheel) -> list[Check]:
    """The checks of a ball that was placed in each of probes while the rotor turned.

    samples: by the number, of a look while the rotor turned.
    """
    missed = sum(values_of(look, "missed").get("head", 0) for look in samples.values())
    reads: list[tuple[int, int]] = []
    for number, look in samples.items():
        own = {s.quantity: s for s in look if s.sensor == "head"}
        if not own["pulses"].value:
            return [dead("head", 0)]
        if "pocket" not in own:
            note = "it sees the ball for too long or too short for a ball in a pocket: its height"
            return [wrong("head: pocket", f"{note} and its spot, or no turn was counted right")]
        place = of_sample(own["place"])
        if place.verdict == FAIL:
            half = abs(own["place"].value) > 360_000 // wheel.pockets // 3
            note = "--calibrate reader_offset corrects head_angle_mdeg"
            note += "; half a pocket: the inputs of both ring sensors are reversed" * half
            return [replace(place, code=WRONG, note=note)]
        reads.append((wheel.numbers.index(number), own["pocket"].value))
    if missed > 1:  # one is only electrical
        note = f"{missed} of the turns passed it unseen: its height, its wire or its supply"
        return [wrong("head: passes", note + KEY, missed)]
    return [_head_pockets(reads, wheel)]


def _head_pockets(reads: Sequence[tuple[int, int]], wheel: Wheel) -> Check:
    # reads: a ball's pocket, and the one that the head read.
    name, n = "head: pockets that read as themselves", wheel.pockets
    shifts = {(true - read) % n for true, read in reads}
    if shifts == {0}:
        return Check(name, PASS, len(reads), low=len(reads), high=len(reads))
    if len(shifts) == 1:
        shift = min(shifts)
        offset = (wheel.index_offset + shift) % n
        far, where = (shift, "back") if shift <= n // 2 else (n - shift, "on")
        aside = f"reads {far} pocket{'s' * (far > 1)} too far {where}"
        note = f"index_offset = {offset} corrects it, or the index magnet is misplaced"
        return wrong(name, f"{aside}: {note}", 0)
    if len({(true + read) % n for true, read in reads}) == 1:
        note = f"reading_direction = {1 - wheel.reading_direction} corrects it"
        return wrong(name, f"they read the other way round: {note}", 0)
    pairs = ", ".join(f"{wheel.named(true)} as {wheel.named(pocket)}" for true, pocket in reads)
    return wrong(name, pairs, sum(true == pocket for true, pocket in reads))


def agree(samples: Sequence[SensorSample]) -> list[Check]:
    """The check of a ball that both array and head see; none where one of them sees no pocket."""
    switches = closed_switches(samples)
    pocket = next(
        (s.value for s in samples if s.sensor == "head" and s.quantity == "pocket"), None
    )
    if pocket is None or len(switches) != 1:
        return []
    name = "array and head"
    if switches == {pocket}:
        return [Check(name, PASS, pocket, note="the same pocket")]
    return [
        wrong(name, f"array {min(switches)}, head {pocket}; which is right: --calibrate pockets")
    ]
