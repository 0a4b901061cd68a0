"""The mounting faults of a roulette wheel: what a fitter exchanges, reverses or sets wrong.

Each is how the wheel's true sensors reach the controller: which line ends at which input, which
inputs are reversed, what the shift registers make of the pocket switches, which keys are set as if
the wheel were another, and what of the wheel is built another way than the keys say. Nothing in
here knows what a table makes of it.

Inputs are numbered as on the wire: 1 ring A, 2 ring B, 3 index, 6 head; 4, 5, 14, 15 rim 1 to 4.
Bit k of the array is pocket k, clockwise from the index, as WIRING.md has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LINES = RING_A, RING_B, INDEX, RIM_1, RIM_2, HEAD, RIM_3, RIM_4 = (1, 2, 3, 4, 5, 6, 14, 15)
REGISTER = 8
BITS = 5 * REGISTER
ALL = (1 << BITS) - 1

# Which bits are on, of the switches that are closed and the number of pockets.
Bits = Callable[[int, int], int]


def _wire(bits: int, _pockets: int) -> int:
    return bits


@dataclass(frozen=True)
class Mounting:
    """One way to mount a wheel wrong. sensors: with which pocket sensors it can happen.

    goes_to: line -> input, of those that are exchanged. reverses: inputs. dead: lines that stay
    off. bits: see Bits. keys: by name, the wrong value from the right one and the pockets. builds:
    the same of hil_tests.physics.built_wheel.Build. rims: how many rim sensors it takes.
    """

    name: str
    what: str
    sensors: tuple[str, ...]
    goes_to: Mapping[int, int] = field(default_factory=dict)
    reverses: frozenset[int] = frozenset()
    dead: frozenset[int] = frozenset()
    bits: Bits = _wire
    keys: Mapping[str, Callable[[int, int], int]] = field(default_factory=dict)
    builds: Mapping[str, Callable[[Any, int], Any]] = field(default_factory=dict)
    rims: int = 2

    def fits(self, pocket_sensor: str, rim_sensors: int) -> bool:
        """Tell whether it can happen at a wheel with these sensors."""
        return pocket_sensor in self.sensors and rim_sensors >= self.rims

    def line(self, sensor: int, level: int) -> tuple[int, int]:
        """The input and level at which a line's level arrives."""
        place = self.goes_to.get(sensor, sensor)
        if sensor in self.dead:
            level = 0
        return place, level ^ (place in self.reverses)

    def build(self, build: Any) -> None:
        """Build a wheel so."""
        for name, wrong in self.builds.items():
            setattr(build, name, wrong(getattr(build, name), build.pockets))


RIGHT = Mounting("right", "mounted as WIRING.md has it", ("array", "head", "both"))


def move(to: Callable[[int, int], int]) -> Bits:
    """Each closed switch shows as another bit; one past the last register is lost."""

    def bits(closed: int, pockets: int) -> int:
        bits = 0
        for k in range(BITS):
            if closed >> k & 1 and 0 <= to(k, pockets) < BITS:
                bits |= 1 << to(k, pockets)
        return bits

    return bits


def _exchange(one: int, other: int) -> dict[int, int]:
    return {one: other, other: one}


def _register(k: int, to: Mapping[int, int]) -> int:
    return to.get(k // REGISTER, k // REGISTER) * REGISTER + k % REGISTER


def _is(value: Any) -> Callable[[Any, int], Any]:
    return lambda _right, _n: value


def _index(*places: float) -> dict[str, Callable[[Any, int], Any]]:
    return {"index_at": _is(places)}


def _misses(line: int, share: float) -> dict[str, Callable[[Any, int], Any]]:
    return {"misses": _is({line: share})}


def _sees(*marks: tuple[int, float, float]) -> dict[str, Callable[[Any, int], Any]]:
    return {"marks": _is(marks)}


def _place(pocket: int, off: float) -> dict[str, Callable[[Any, int], Any]]:
    def placing(right: list[float], n: int) -> list[float]:
        return [place + off * (k == pocket) for k, place in enumerate(right or [0.0] * n)]

    return {"placing": placing}


ARRAY, HEADS, EVERY = ("array", "both"), ("head", "both"), ("array", "head", "both")
WHEEL = {"wheel": lambda right, _n: 3 - right}
TURNED = {"reading_direction": lambda right, _n: 1 - right}

FAULTS: tuple[Mounting, ...] = (
    # The registers and switches of the array.
    Mounting("registers_exchanged", "two neighbouring registers of the chain are exchanged",
             ARRAY, bits=move(lambda k, _n: _register(k, {1: 2, 2: 1}))),
    Mounting("registers_backwards", "the chain of registers begins at its other end",
             ARRAY, bits=move(lambda k, _n: _register(k, {0: 4, 1: 3, 3: 1, 4: 0}))),
    Mounting("bits_backwards", "the eight inputs of each register are wired from H to A",
             ARRAY, bits=move(lambda k, _n: k - k % 8 + 7 - k % 8)),
    Mounting("shifted_on", "the chain is read a clock late: each pocket shows as the next",
             ARRAY, bits=move(lambda k, _n: k + 1)),
    Mounting("shifted_back", "the chain is read a clock early: each shows as the one before",
             ARRAY, bits=move(lambda k, _n: k - 1)),
    Mounting("array_turned", "the ring of switches is mounted one pocket too far forward",
             ARRAY, bits=move(lambda k, n: (k + 1) % n if k < n else k)),
    Mounting("array_mirrored", "the ring of switches is wired counter-clockwise",
             ARRAY, bits=move(lambda k, n: -k % n if k < n else k)),
    Mounting("switches_exchanged", "the wires of two neighbouring switches are exchanged",
             ARRAY, bits=move(lambda k, _n: {4: 5, 5: 4}.get(k, k))),
    Mounting("switch_dead", "one switch never closes",
             ARRAY, bits=lambda bits, _n: bits & ~(1 << 12)),
    Mounting("switch_shorted", "one switch is always closed",
             ARRAY, bits=lambda bits, _n: bits | 1 << 12),
    Mounting("switches_shorted", "three switches are always closed",
             ARRAY, bits=lambda bits, _n: bits | 1 << 3 | 1 << 12 | 1 << 20),
    Mounting("switches_joined", "two neighbouring switches touch: each closes both",
             ARRAY, bits=lambda bits, _n: bits | (0b11 << 12 if bits >> 12 & 3 else 0)),
    Mounting("register_dead", "one register reports nothing",
             ARRAY, bits=lambda bits, _n: bits & ~(0xFF << 8)),
    Mounting("array_dead", "the array reports nothing", ARRAY, bits=lambda _bits, _n: 0),
    Mounting("array_shorted", "the array's data line is always on", ARRAY,
             bits=lambda _bits, _n: ALL),
    Mounting("array_reversed", "the switches open under the ball", ARRAY,
             bits=lambda bits, _n: bits ^ ALL),
    # Lines and inputs.
    Mounting("ring_exchanged", "ring sensors A and B are exchanged", EVERY,
             goes_to=_exchange(RING_A, RING_B)),
    Mounting("ring_and_index_exchanged", "ring sensor A and the index are exchanged", EVERY,
             goes_to=_exchange(RING_A, INDEX)),
    Mounting("rims_exchanged", "rim sensors 1 and 2 are exchanged", EVERY,
             goes_to=_exchange(RIM_1, RIM_2)),
    Mounting("rims_3_and_4_exchanged", "rim sensors 3 and 4 are exchanged", EVERY,
             goes_to=_exchange(RIM_3, RIM_4), rims=4),
    Mounting("ring_and_rims_exchanged", "ring sensors and rim sensors are exchanged: a mirror",
             EVERY, goes_to=_exchange(RING_A, RING_B) | _exchange(RIM_1, RIM_2)),
    Mounting("ring_and_rim_exchanged", "ring sensor A and rim sensor 1 are exchanged", EVERY,
             goes_to=_exchange(RING_A, RIM_1)),
    Mounting("rim_and_head_exchanged", "rim sensor 2 and the reader head are exchanged", HEADS,
             goes_to=_exchange(RIM_2, HEAD)),
    Mounting("ring_a_reversed", "the input of ring sensor A is reversed", EVERY,
             reverses=frozenset({RING_A})),
    Mounting("ring_reversed", "the inputs of both ring sensors are reversed", EVERY,
             reverses=frozenset({RING_A, RING_B})),
    Mounting("index_reversed", "the input of the index is reversed", EVERY,
             reverses=frozenset({INDEX})),
    Mounting("rim_reversed", "the input of rim sensor 1 is reversed", EVERY,
             reverses=frozenset({RIM_1})),
    Mounting("head_reversed", "the input of the reader head is reversed", HEADS,
             reverses=frozenset({HEAD})),
    Mounting("ring_b_dead", "ring sensor B reports nothing", EVERY, dead=frozenset({RING_B})),
    Mounting("head_dead", "the reader head reports nothing", HEADS, dead=frozenset({HEAD})),
    # The configuration.
    Mounting("reading_direction", "the printed order is read in the wrong direction", EVERY,
             keys=TURNED),
    Mounting("wheel_size", "the wheel is configured with the other number of zeros", EVERY,
             keys=WHEEL),
    Mounting("index_one_on", "the index magnet sits one pocket on: head and array disagree",
             HEADS, keys={"index_offset": lambda right, n: (right - 1) % n}),
    Mounting("head_angle", "the head is configured two pockets beside its place", HEADS,
             keys={"head_angle_mdeg": lambda right, n: (right + 720_000 // n) % 360_000}),
    Mounting("rim_angle", "the second rim sensor is configured 25 degrees off its position", EVERY,
             keys={"rim_angle_mdeg": lambda right, _n:
                   right + (25_000 if right < 90_000 else -25_000)}),
    Mounting("rim_3_angle", "the third rim sensor is configured 25 degrees off its position",
             EVERY, keys={"rim_3_angle_mdeg": lambda right, _n: right - 25_000}, rims=3),
    # Two rim sensors: the second one is as far from the first, the other way round.
    Mounting("rim_mirrored", "rim sensor 2 is at 270 degrees for 90", EVERY,
             builds={"rims": lambda right, _n: (0.0, 1.0 - right[1], *right[2:])}),
    Mounting("head_half_a_pocket", "the head is configured half a pocket beside its place", HEADS,
             keys={"head_angle_mdeg": lambda right, n: (right + 180_000 // n) % 360_000}),
    Mounting("head_low", "the head is too near: it sees most of a pitch", HEADS,
             builds={"head_half": _is(0.47)}),
    Mounting("head_high", "the head is too far away: it sees little of the ball", HEADS,
             builds={"head_half": _is(0.05)}),
    Mounting("head_misses", "the head misses every second ball", HEADS, builds=_misses(HEAD, 0.5)),
    Mounting("head_sees_rotor", "the head sees a mark on the rotor", HEADS,
             builds=_sees((HEAD, 7.0, 0.2))),
    # Magnets and ring sensors.
    Mounting("index_half_on", "the index magnet is half a pocket on, at a ring magnet", EVERY,
             builds=_index(0.0)),
    Mounting("index_half_back", "the index magnet is half a pocket back, at a ring magnet", EVERY,
             builds=_index(-1.0)),
    Mounting("index_third_on", "the index magnet is a third of a pocket on", EVERY,
             builds=_index(-0.17)),
    Mounting("index_third_back", "the index magnet is a third of a pocket back", EVERY,
             builds=_index(-0.83)),
    Mounting("index_twice", "two index magnets on the track", EVERY, builds=_index(-0.5, 16.5)),
    Mounting("index_upside_down", "the index magnet shows its north pole", EVERY,
             builds=_index()),
    Mounting("index_loose", "the index magnet is loose: three turns of ten miss it", EVERY,
             builds=_misses(INDEX, 0.3)),
    Mounting("magnet_lost", "a ring magnet is lost, or shows its north pole", EVERY,
             builds={"lost": _is(frozenset({11}))}),
    Mounting("magnets_lost", "two neighbouring ring magnets are lost", EVERY,
             builds={"lost": _is(frozenset({11, 12}))}),
    Mounting("magnet_aside", "a ring magnet is half a pocket aside", EVERY,
             builds=_place(11, 0.45)),
    Mounting("magnet_extra", "a magnet too many between two ring magnets", EVERY,
             builds=_sees((RING_A, 11.5, 0.12), (RING_B, 11.75, 0.12))),
    Mounting("ring_a_misses", "ring sensor A misses 2 % of its magnets", EVERY,
             builds=_misses(RING_A, 0.02)),
    Mounting("ring_b_misses", "ring sensor B misses 2 % of its magnets", EVERY,
             builds=_misses(RING_B, 0.02)),
    Mounting("ring_a_weak", "ring sensor A is too far away: it misses a fifth", EVERY,
             builds=_misses(RING_A, 0.2)),
    Mounting("ring_b_weak", "ring sensor B is too far away: it misses a twentieth", EVERY,
             builds=_misses(RING_B, 0.05)),
    Mounting("ring_b_at_a", "ring sensor B is at the angle of A", EVERY,
             builds={"ring_b": _is(0.02)}),
    Mounting("ring_b_half_on", "ring sensor B is half a pitch from A", EVERY,
             builds={"ring_b": _is(0.5)}),
    # Rim sensors, and lines without current.
    Mounting("rim_1_misses", "rim sensor 1 misses a tenth of the passes", EVERY,
             builds=_misses(RIM_1, 0.1)),
    Mounting("rim_2_misses", "rim sensor 2 misses a tenth of the passes", EVERY,
             builds=_misses(RIM_2, 0.1)),
    Mounting("rim_2_misses_most", "rim sensor 2 misses six passes of ten", EVERY,
             builds=_misses(RIM_2, 0.6)),
    Mounting("rim_sees_rotor", "rim sensor 2 sees a mark on the rotor", EVERY,
             builds=_sees((RIM_2, 5.0, 0.2))),
    Mounting("rim_sees_frets", "rim sensor 1 sees every fret of the rotor", EVERY,
             builds={"marks": lambda _right, n: tuple((RIM_1, k + 0.5, 0.2) for k in range(n))}),
    Mounting("rim_1_dead", "rim sensor 1 reports nothing", EVERY, dead=frozenset({RIM_1})),
    Mounting("rims_dead", "the rim sensors have no supply", EVERY,
             dead=frozenset({RIM_1, RIM_2})),
    Mounting("halls_dead", "ring and index sensors have no supply", EVERY,
             dead=frozenset({RING_A, RING_B, INDEX})),
    Mounting("ring_a_dead", "ring sensor A reports nothing", EVERY, dead=frozenset({RING_A})),
    Mounting("index_dead", "the index sensor reports nothing", EVERY, dead=frozenset({INDEX})),
    Mounting("rim_and_index_exchanged", "rim sensor 1 and the index are exchanged", EVERY,
             goes_to=_exchange(RIM_1, INDEX)),
    Mounting("index_and_head_exchanged", "the index and the reader head are exchanged", HEADS,
             goes_to=_exchange(INDEX, HEAD)),
    Mounting("ring_b_reversed", "the input of ring sensor B is reversed", EVERY,
             reverses=frozenset({RING_B})),
    Mounting("rim_2_reversed", "the input of rim sensor 2 is reversed", EVERY,
             reverses=frozenset({RIM_2})),
    Mounting("array_turned_back", "the ring of switches is mounted one pocket too far back",
             ARRAY, bits=move(lambda k, n: (k - 1) % n if k < n else k)),
)  # fmt: skip
BY_NAME = {mounting.name: mounting for mounting in (RIGHT, *FAULTS)}
