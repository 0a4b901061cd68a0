"""What a table's records say of it, as facts for those who watch. Knows no port and no ledger."""

from typing import Any

from tabletools.decode import Record
from tabletools.explain import BY_NUMBER, as_record

Facts = dict[str, Any]
# What a table is not known to do, before anything is heard of it.
UNHEARD: Facts = {
    "phase": None, "number": None, "circuits": None, "rotor_direction": None, "rotor_drpm": None,
    "closed_by": None, "unacknowledged": None, "edges_lost": None, "faults": [], "seal": None,
    "boot": None, "firmware": None, "board": None, "role": None, "wheel": None, "lying": [],
    "machine": {},
}  # fmt: skip
_BEATS = (
    "phase", "circuits", "rotor_direction", "rotor_drpm", "unacknowledged", "edges_lost"
)  # fmt: skip
# What each machine says of itself beside the round: the record, what it is shown as, its fields.
_OWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "money_wheel_result": ("stop", ("pays", "segment", "revolutions_centi", "pushes")),
    "dice_result": ("throw", ("held_ms", "hits", "agreed")),
    "throw_evidence": ("throw", ("held_ms", "hits", "reason")),
    "shuffle_done": ("shuffle", ("verdict", "reason", "count_in", "count_out", "expected")),
    "shoe_changed": ("lock", ("shoe", "reason", "replacement")),
    "shoe_told": ("shoe", ("event", "cards", "left")),
    "balls_counted": ("balls", ("inside", "expected", "counted_by")),
}  # fmt: skip


class Folding:
    """Keeps what has to be remembered between records.

    The faults that stand, the cards or balls of the round by their places, what the machine said.
    """

    def __init__(self) -> None:
        self._standing: dict[int, Facts] = {}
        self._lying: dict[int, str] = {}
        self._machine: Facts = {}

    def take(self, record: Record) -> Facts:
        """Return the facts one record tells."""
        found: Facts = {"seal": record["seal"], "boot": record["boot"]}
        if record["type"] in _OWN:
            shown_as, fields = _OWN[record["type"]]
            found |= self._own(shown_as, {name: record[name] for name in fields})
        fold = getattr(self, f"_{record['type']}", None)
        return found if fold is None else found | fold(record)

    def _heartbeat(self, record: Record) -> Facts:
        found = {name: record[name] for name in _BEATS} | {"number": record["round"]}
        if record["faults"] == 0 and self._standing:
            self._standing.clear()
            found["faults"] = []
        return found

    def _state(self, record: Record) -> Facts:
        return {"phase": record["phase"]}

    def _identity(self, record: Record) -> Facts:
        return {"firmware": version_of(record), "board": record["board"], "role": record["role"]}

    def _round_opened(self, record: Record) -> Facts:
        self._lying = {}
        return {
            "number": record["round"], "circuits": None, "closed_by": None, "lying": [],
            "wheel": record["wheel"],
        }  # fmt: skip

    def _card_dealt(self, record: Record) -> Facts:
        shoe = {**self._machine.get("shoe", {}), "left": record["shoe_index"]}
        found, place = self._own("shoe", shoe), record["round_index"]
        return found if place is None else found | self._lie(place, record["card"] or "??")

    def _ball_drawn(self, record: Record) -> Facts:
        return self._lie(record["place"], str(record["number"]))

    def _own(self, shown_as: str, told: Facts) -> Facts:
        self._machine = {**self._machine, shown_as: told}
        return {"machine": self._machine}

    def _lie(self, place: int, what: str) -> Facts:
        self._lying[place] = what
        return {"lying": [self._lying[each] for each in sorted(self._lying)]}

    def _bets_closed(self, record: Record) -> Facts:
        return {"closed_by": record["cause"]}

    def _fault_raised(self, record: Record) -> Facts:
        reason = BY_NUMBER.get(record["code"])
        if reason is not None:
            self._standing[reason.number] = as_record(reason)
        return self._faults()

    def _fault_cleared(self, record: Record) -> Facts:
        self._standing.pop(record["code"], None)
        return self._faults()

    def _faults(self) -> Facts:
        return {"faults": [self._standing[code] for code in sorted(self._standing)]}


def version_of(record: Record) -> str:
    """The firmware an identity names."""
    return ".".join(str(record[f"firmware_{part}"]) for part in ("major", "minor", "patch"))
