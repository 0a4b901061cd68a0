"""The device's logic, run again over a trace: its decisions, and what it saw on the way.

The role is built from the configuration in the trace, set to the trace's snapshot, and called with
the inputs of the device's role. It neither judges nor displays the result.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import Any

from tablelogic.core.engine import REFUSED
from tablelogic.core.role import Role
from tablelogic.core.snapshot import Snapshot
from tablelogic.core.ticks import diff
from tablespec.names import ROLE as ROLE_NAMES
from tabletools.replay.parsed_trace import Trace
from tabletools.replay.trace_errors import TraceError
from tabletools.replay.trace_events import Analog, Close, Edge, Event, Order, Read, Tick, Void
from tablewire import settings
from tablewire.config import ROLE
from tablewire.messages import (
    BETS_CLOSED,
    FAULT_RAISED,
    ROUND_ENDS,
    ROUND_VOID,
    STATE,
    UNKNOWN_U16,
)

ROLES: dict[int, Any] = {
    number: import_module(f"tablelogic.{name}.{name}").ROLE for number, name in ROLE_NAMES
}
# Number of records a sink accepts while it has room.
_ENDLESS = 2**30


@dataclass(frozen=True)
class Report:
    """A report of the logic. at_us: since the trace began, at the event that caused it."""

    at_us: int
    type: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Sample:
    """The state of the logic at a tick. None: not known. circuits in 1/100, speed in 0.1 rpm."""

    at_us: int
    phase: int
    circuits_centi: int | None
    lap_ms: int | None
    rotor_drpm: int | None


@dataclass
class Run:
    """A replay. at_us: of each event of the trace, since it began. end: as reported, or None."""

    reports: list[Report] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    at_us: list[int] = field(default_factory=list)

    @property
    def end(self) -> Report | None:
        """The first result or void."""
        return next((t for t in self.reports if t.type in ROUND_ENDS), None)


def flat(values: Iterable[int | bytes]) -> tuple[int, ...]:
    """The values of a message as in a trace: each byte of a field of bytes separately."""
    numbers: list[int] = []
    for value in values:
        numbers += value if isinstance(value, bytes) else [value]
    return tuple(numbers)


class _Sink:
    """Receives the reports of the role."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.now_us = 0
        self.result_message = 0
        self.room = _ENDLESS

    def _report(self, ident: int, values: list[int]) -> None:
        self.reports.append(Report(self.now_us, ident, flat(values)))

    def may_open(self) -> bool:
        return False  # the round of the trace is open already, and there is no other

    def bets_closed(self, values: list[int]) -> None:
        self._report(BETS_CLOSED, values)

    def result(self, values: list[int]) -> None:
        self._report(self.result_message, values)

    def void(self, values: list[int]) -> None:
        self._report(ROUND_VOID, values)

    def record(self, ident: int, values: list[int]) -> bool:
        self.room -= 1
        return self.room >= 0

    def fault_raised(self, values: list[int]) -> None:
        self._report(FAULT_RAISED, values)

    def fault_cleared(self, values: list[int]) -> None:
        """Ignored: it ends no round."""

    def state(self, values: list[int]) -> None:
        self._report(STATE, values)


def run(trace: Trace, prepare: Callable[[Any], None] = lambda role: None) -> Run:
    """Replay a trace to its end. Raises TraceError if its state is not that of such a role.

    prepare: called with the role before its first event.
    """
    make = ROLES.get(trace.config[ROLE])
    if make is None:
        raise TraceError(
            f"the trace is of role {trace.config[ROLE]}",
            "this program does not know it",
            "use the release of its firmware",
        )
    sink = _Sink()
    role: Any = make(list(trace.config), sink)
    sink.result_message = role.result_message
    _restore(role, trace)
    prepare(role)
    replayed = Run(reports=sink.reports)
    at_us, last_us, raw = 0, trace.tick_us, 0
    for place, event in enumerate(trace.events):
        if _refusal(event) is not None:
            continue
        room = None if place + 1 == len(trace.events) else _refusal(trace.events[place + 1])
        sink.room = _ENDLESS if room is None else room
        at_us += diff(event.t_us, last_us)
        last_us = event.t_us
        sink.now_us = at_us
        replayed.at_us.append(at_us)
        if isinstance(event, Analog):
            raw = event.raw
        elif isinstance(event, Tick) and role.wants_analog and role.wants_analog():
            role.analog(raw)  # read before every tick, recorded when it changes
        _apply(role, event)
        if isinstance(event, Tick):
            replayed.samples.append(_sample(role, at_us))
    return replayed


def _refusal(event: Event) -> int | None:
    """How many records the sink accepted before it was full, at the event before this one."""
    if isinstance(event, Order) and event.type == REFUSED:
        return event.values[0]
    return None


def _apply(role: Any, event: Event) -> None:
    if isinstance(event, Edge):
        role.edge(event.sensor + 1, event.level, event.t_us)  # inputs are numbered from 1
    elif isinstance(event, Tick):
        role.tick(event.t_us)
    elif isinstance(event, Read):
        role.array(bytearray(event.bits), event.t_us)
    elif isinstance(event, Order):
        role.order(event.type, event.values, event.t_us)
    elif isinstance(event, Close):
        role.close_bets(event.cause, event.t_us)
    elif isinstance(event, Void):
        role.control.void(event.reason, event.sensor)


def _sample(role: Any, at_us: int) -> Sample:
    centi, _, _, drpm, lap_ms = (None if v == UNKNOWN_U16 else v for v in role.control.motion())
    return Sample(at_us, role.phase, centi, lap_ms, drpm)


def with_keys(trace: Trace, keys: Mapping[int, int]) -> Trace:
    """Return a trace as of a device with other values for these keys. Raises TraceError."""
    make = ROLES[trace.config[ROLE]]
    config = list(trace.config)
    for key, value in keys.items():
        config[key] = value
    state, changed = list(trace.state), state_of(make(list(config), None))
    if len(state) != len(changed):
        raise TraceError("these keys make another machine", "", "leave the sensors as they are")
    for place in _of_configuration(make, trace.config):
        state[place] = changed[place]
    return replace(trace, config=tuple(config), state=tuple(state))


def state_of(role: Any) -> list[int]:
    """The integers of a role, as the device takes them."""
    values: list[int] = []
    _snapshot(role).give(values.append)
    return values


def _snapshot(role: Any) -> Snapshot:
    whole = Snapshot(role)
    while whole.look():
        pass
    return whole


def names_of(role: Any) -> list[str]:
    """The name of each of those integers: class and attribute, or index in a list."""
    listed: list[str] = []
    for part, names in _parts(role):
        owner = type(part).__name__
        places = range(len(part)) if names is None else names
        listed += [f"{owner}.{place}" for place in places]
    return listed


def _parts(role: Any) -> Iterator[tuple[Any, Sequence[str] | None]]:
    """Each part with the names of its integers, None for a list of them."""
    whole = _snapshot(role)
    for part, names in zip(whole.parts, whole.names, strict=True):
        yield part, names and [name for name in names if isinstance(getattr(part, name), int)]


def _restore(role: Any, trace: Trace) -> None:
    state = state_of(role)
    if len(trace.state) != len(state):
        raise TraceError(
            f"the trace has a state of {len(trace.state)} numbers, this logic has {len(state)}",
            "its firmware has another logic",
            f"replay it with the release of firmware {trace.firmware}",
        )
    for place in sorted(_of_configuration(ROLES[trace.config[ROLE]], trace.config)):
        if trace.state[place] != state[place]:
            raise TraceError(
                f"the state in the trace has {names_of(role)[place]} {trace.state[place]}, its"
                f" configuration makes it {state[place]}",
                "the configuration in the trace is not the one the device decided by",
                "keep the file and report it: it was changed, or is a defect",
            )
    values = iter(trace.state)
    for part, names in _parts(role):
        _fill(part, names, values)


def _fill(part: Any, names: Sequence[str] | None, values: Iterator[int]) -> None:
    if names is None:
        part[:] = [next(values) for _ in part]
        return
    for name in names:
        value = next(values)
        setattr(part, name, bool(value) if isinstance(getattr(part, name), bool) else value)


@lru_cache(maxsize=256)  # the tables of an estate: 20 ms for each
def _of_configuration(
    make: Callable[[list[int], Any], Role], config: tuple[int, ...]
) -> frozenset[int]:
    """Indexes in the state that a configuration sets: a round never changes them."""
    plain = state_of(make(list(config), None))
    places: set[int] = set()
    for number in range(1, settings.COUNT + 1):
        if number == ROLE:
            continue
        for value in settings.limits(number)[:2]:
            changed = list(config)
            changed[number] = value
            other = state_of(make(changed, None))
            if len(other) != len(plain):
                continue  # another machine, with a separate state
            places |= {place for place in range(len(plain)) if plain[place] != other[place]}
    return frozenset(places)
