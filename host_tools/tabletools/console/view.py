"""The state of one table for the terminal: with its last results and events.

Knows no port and no drawing.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tabletools import decode, roles
from tabletools.decode import LiveState, Record

_NUMBERS = 15
_EVENTS = 40
_QUIET = frozenset(("heartbeat", "identity"))


class Event(NamedTuple):
    """One line of the list of last events. clock: time of day, HH:MM:SS; text: what happened."""

    clock: str
    text: str
    is_trouble: bool


class End(NamedTuple):
    """How a round ended."""

    text: str
    printed: roles.Printed | None = None
    """How cloth and wheel show it; None: without a colour."""
    is_void: bool = False


@dataclass
class TableView(LiveState):
    """The state of a table and its history. ended: the last results and voids, oldest first."""

    ended: deque[End] = field(default_factory=lambda: deque(maxlen=_NUMBERS))
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=_EVENTS))

    def take(self, record: Record, clock: str) -> None:
        """Take one record, or one of skipped bytes. clock: time of day it came."""
        kind = record["type"]
        if kind == "skipped":
            self.note(clock, decode.line(record).strip(), is_trouble=True)
            return
        self.update(record)
        end = self._end(record)
        if end is not None:
            self.ended.append(end)
        if kind not in _QUIET:
            text = f"{kind.replace('_', ' '):<18} {decode.describe(record).strip()}"
            self.note(clock, text, is_trouble=kind in ("round_void", "fault_raised", "refusal"))

    def _end(self, record: Record) -> End | None:
        """How a record ends a round, None for one that does not, or whose result is no list."""
        kind = record["type"]
        if kind == "round_void":
            return End(f"void {record['code']}", is_void=True)
        if kind == "cards_ended":
            return End(" ".join(self.dealt_in_order))
        name = roles.of_result(kind)
        role = None if name is None else roles.role(name)
        if role is None or role.displayed is None:
            return None
        return End(role.displayed(record), role.printed)

    def note(self, clock: str, text: str, *, is_trouble: bool = False) -> None:
        """Add a line to the list of events."""
        self.events.append(Event(clock, text, is_trouble))

    @property
    def last_number(self) -> End | None:
        """The last result that cloth and wheel show in a colour."""
        numbers = [end for end in self.ended if end.printed is not None]
        return numbers[-1] if numbers else None

    def facts(self) -> dict[str, Any]:
        """The state as JSON-ready data, without the lists."""
        measured = ("progress", "machine_direction", "machine_drpm")
        names = ("device", "boot", "role", "phase", "round", *measured)
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        facts |= decode.labels(facts, self.role)
        facts["faults"] = sorted(self.faults)
        return facts
