"""The state of one table for the terminal: with its last results and events.

Knows no port and no drawing.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tabletools import decode
from tabletools.decode import LiveState, Record

_NUMBERS = 15
_EVENTS = 40
_QUIET = frozenset(("heartbeat", "identity"))


class Event(NamedTuple):
    """One line of the list of last events. clock: time of day, HH:MM:SS; text: what happened."""

    clock: str
    text: str
    is_trouble: bool


@dataclass
class TableView(LiveState):
    """The state of a table and its history. ended: the last results and voids, oldest first."""

    ended: deque[Record] = field(default_factory=lambda: deque(maxlen=_NUMBERS))
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=_EVENTS))

    def take(self, record: Record, clock: str) -> None:
        """Take one record, or one of skipped bytes. clock: time of day it came."""
        kind = record["type"]
        if kind == "skipped":
            self.note(clock, decode.line(record).strip(), is_trouble=True)
            return
        self.update(record)
        if kind in ("wheel_result", "round_void"):
            self.ended.append(record)
        elif kind == "dice_result":
            faces = (record[f"die_{place}"] for place in range(1, 7))
            dice = " ".join(str(face) for face in faces if face) or "left to the host"
            self.ended.append({**record, "dice": dice})
        elif kind == "cards_ended":
            self.ended.append({**record, "cards": " ".join(self.dealt_in_order)})
        if kind not in _QUIET:
            text = f"{kind.replace('_', ' '):<18} {decode.describe(record).strip()}"
            self.note(clock, text, is_trouble=kind in ("round_void", "fault_raised", "refusal"))

    def note(self, clock: str, text: str, *, is_trouble: bool = False) -> None:
        """Add a line to the list of events."""
        self.events.append(Event(clock, text, is_trouble))

    @property
    def last_number(self) -> str | None:
        """The last result, as printed."""
        numbers = [record["pocket"] for record in self.ended if record["type"] == "wheel_result"]
        return numbers[-1] if numbers else None

    def facts(self) -> dict[str, Any]:
        """The state as JSON-ready data, without the lists."""
        names = ("device", "boot", "phase", "round", "circuits", "rotor_direction", "rotor_drpm")
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        facts["faults"] = sorted(self.faults)
        return facts
