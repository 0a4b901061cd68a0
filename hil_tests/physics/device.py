"""Plays a physical round to the firmware's decisions, on this interpreter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hil_tests.physics.key_names import KEY_NAMES
from hil_tests.physics.making import MakeRole, Sink, alone, configured
from hil_tests.physics.spin_rounds import Spin
from tablelogic.core.role import LOOK
from tablelogic.roulette.roulette import Roulette
from tablewire.roulette import RIM_ANGLES

if TYPE_CHECKING:  # PyPy 3.9 does not run the emulators
    from tableemulator.machines.roulette.mounting_faults import Mounting

TICK_US = 40_000
LOOK_US = 20_000  # from a step to the look at the array that may bring the next one forward
GIVES_UP_US = 98_000_000
_SENSORS = {"array": 1, "head": 2, "both": 3}
_MASK = (1 << 30) - 1


@dataclass
class Outcome:
    """What the table reported. number: 37 for 00. closed_us: when it closed the bets, -1 never.

    faults: codes of the faults raised.
    """

    number: int | None = None
    index: int | None = None
    reason: int = 0
    sensor: int = 0
    values: tuple[int, ...] = ()
    at_us: int = -1
    closed_us: int = -1
    faults: list[int] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether the round came to an end."""
        return self.at_us >= 0


class _NoEdges:
    """No edge waits for the next step."""

    def has_rise(self, sensors: object) -> bool:
        return False


_NO_EDGES = _NoEdges()


class _Sink(Sink):
    """Takes the decisions of the role."""

    def __init__(self) -> None:
        self.now_us = 0
        self.outcome = Outcome()

    def may_open(self) -> bool:
        return not self.outcome.ended

    def bets_closed(self, values: list[int]) -> None:
        self.outcome.closed_us = self.now_us

    def result(self, values: list[int]) -> None:
        self.outcome.number, self.outcome.index = values[:2]
        self.outcome.at_us = self.now_us
        self.outcome.values = tuple(values)

    def void(self, values: list[int]) -> None:
        self.outcome.reason, self.outcome.sensor = values[0], values[2]
        self.outcome.at_us = self.now_us
        self.outcome.values = tuple(values)

    def fault_raised(self, values: list[int]) -> None:
        self.outcome.faults.append(values[0])


def configuration(spin: Spin, mounting: Mounting | None) -> list[int]:
    """The keys a technician sets for this wheel, or would set for another."""
    build = spin.build
    wanted = {
        "wheel": 1 if build.pockets == 37 else 2,
        "pocket_sensor": _SENSORS[spin.sensor],
        "head_angle_mdeg": round(build.head * 360_000) % 360_000,
        "rim_sensors": len(build.rims),
        "reading_direction": 0,
        "index_offset": 0,
        **spin.keys,
    }
    for number, angle in zip(RIM_ANGLES, build.rims[1:]):  # noqa: B905 - PyPy 3.9 has no strict
        wanted[KEY_NAMES[number - 1]] = round(angle * 360_000)
    if mounting:
        for name, wrong in mounting.keys.items():
            wanted[name] = wrong(wanted[name], build.pockets)
    return configured(wanted)


def play(spin: Spin, mounting: Mounting | None = None, make: MakeRole = alone) -> Outcome:
    """Play one round from power-on to its end, on a wheel mounted right or so."""
    sink = _Sink()
    role = make(Roulette, configuration(spin, mounting), sink)
    edges = [(int(t_s * 1e6), sensor, level) for t_s, sensor, level in spin.edges()]
    if mounting:
        edges = [(t_us, *mounting.line(sensor, level)) for t_us, sensor, level in edges]
        edges = [(0, place, 1) for place in sorted(mounting.reverses)] + edges

    def closed(at_us: int) -> bytes:
        bits = spin.bits(at_us / 1e6)
        if mounting:
            bits = mounting.bits(bits, spin.build.pockets)
        return (bits & (1 << 40) - 1).to_bytes(5, "little")

    bits = bytearray(5)
    index = steps = 0
    start = (1 << 30) - 20_000_000  # the clock wraps during the round
    while sink.now_us < GIVES_UP_US and not sink.outcome.ended:
        looks = role.urgency(_NO_EDGES) == LOOK
        is_urgent = looks and closed(sink.now_us + LOOK_US) != bits
        now = sink.now_us = sink.now_us + (LOOK_US if is_urgent else TICK_US)
        while index < len(edges) and edges[index][0] <= now:
            t_us, sensor, level = edges[index]
            index += 1
            role.edge(sensor, level, (t_us + start) & _MASK)
        steps += 1
        wants = role.wants_array() if role.wants_array else 0
        if wants and steps % wants == 0:
            bits[:] = closed(now)
            role.array(bits, (now + start) & _MASK)
        role.tick((now + start) & _MASK)
    return sink.outcome
