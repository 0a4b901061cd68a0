"""The state of one table as far as its records tell; records in, facts for the picture out.

Must not know ports or how it is drawn.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tabletools import decode
from tabletools.decode import PLAYS, Record

_NUMBERS = 15
_EVENTS = 40
_QUIET = frozenset(("heartbeat", "identity"))


class Event(NamedTuple):
    """One line of the list of last events. clock: time of day, HH:MM:SS; text: what happened."""

    clock: str
    text: str
    is_trouble: bool


@dataclass
class TableView:
    """What is known of a table. Unknown is None.

    ended: the last results and voids, oldest first. standing: faults raised and not cleared, by
    code. faults: how many stand by the table's own count, which may know of more. cards: told of
    the round that is dealt.
    """

    device: int | None = None
    boot: int | None = None
    identity: Record | None = None
    phase: str | None = None
    round: int | None = None
    wheel: str | None = None
    min_circuits: int | None = None
    circuits: int | None = None
    rotor_direction: str | None = None
    rotor_drpm: int | None = None
    closed_by: str | None = None
    faults: int | None = None
    unacknowledged: int | None = None
    edges_lost: int | None = None
    free_bytes: int | None = None
    seal: str | None = None
    role: str | None = None
    cards: list[str] = field(default_factory=list)
    standing: dict[int, Record] = field(default_factory=dict)
    ended: deque[Record] = field(default_factory=lambda: deque(maxlen=_NUMBERS))
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=_EVENTS))

    def take(self, record: Record, clock: str) -> None:
        """Fold one record in; clock: time of day it came."""
        kind = record["type"]
        if kind == "skipped":
            self.note(clock, decode.line(record).strip(), is_trouble=True)
            return
        self.device, self.boot, self.seal = record["device"], record["boot"], record["seal"]
        fold = getattr(self, f"_{kind}", None)
        if fold is not None:
            fold(record)
        if kind not in _QUIET:
            text = f"{kind.replace('_', ' '):<18} {decode.describe(record).strip()}"
            self.note(clock, text, is_trouble=kind in ("round_void", "fault_raised", "refusal"))

    def note(self, clock: str, text: str, *, is_trouble: bool = False) -> None:
        """Add a line to the list of events."""
        self.events.append(Event(clock, text, is_trouble))

    def _copy(self, record: Record, *fields: str) -> None:
        for name in fields:
            setattr(self, name, record[name])

    def _identity(self, record: Record) -> None:
        self.identity = record
        self.role = record["role"] or self.role

    def _heartbeat(self, record: Record) -> None:
        self._copy(record, "phase", "circuits", "rotor_direction", "rotor_drpm", "faults")
        self._copy(record, "unacknowledged", "edges_lost", "free_bytes")
        self.round = record["round"]
        if record["faults"] == 0:
            self.standing.clear()

    def _state(self, record: Record) -> None:
        self.phase = record["phase"]

    def _round_opened(self, record: Record) -> None:
        self._copy(record, "round", "wheel", "min_circuits")
        self.role = PLAYS.get(record["wheel"], self.role)
        self.circuits = self.closed_by = None
        self.cards = []

    def _bets_closed(self, record: Record) -> None:
        self.closed_by = record["cause"]

    def _wheel_result(self, record: Record) -> None:
        self.ended.append(record)

    def _dice_result(self, record: Record) -> None:
        faces = (record[f"die_{place}"] for place in range(1, 7))
        self.ended.append({**record, "dice": " ".join(str(face) for face in faces if face)})

    def _card_dealt(self, record: Record) -> None:
        if record["use"] == "round":
            self.cards.append(record["card"] or "??")

    def _cards_ended(self, record: Record) -> None:
        self.ended.append({**record, "cards": " ".join(self.cards)})

    def _round_void(self, record: Record) -> None:
        self.ended.append(record)

    def _fault_raised(self, record: Record) -> None:
        self.standing[record["code"]] = record

    def _fault_cleared(self, record: Record) -> None:
        self.standing.pop(record["code"], None)

    @property
    def last_number(self) -> str | None:
        """The last number that fell, as printed."""
        numbers = [record["pocket"] for record in self.ended if record["type"] == "wheel_result"]
        return numbers[-1] if numbers else None

    def facts(self) -> dict[str, Any]:
        """The state as JSON-ready data, without the lists."""
        names = ("device", "boot", "phase", "round", "circuits", "rotor_direction", "rotor_drpm")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found["faults"] = sorted(self.standing)
        return found
