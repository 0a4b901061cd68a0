"""What a table's records say of it, as facts for those who watch. Knows no port and no ledger."""

from typing import Any

from tabletools.decode import Record
from tabletools.explain import BY_NUMBER, as_record

Facts = dict[str, Any]
# What a table is not known to do, before anything is heard of it.
UNHEARD: Facts = {
    "phase": None, "number": None, "circuits": None, "rotor_direction": None, "rotor_drpm": None,
    "closed_by": None, "unacknowledged": None, "edges_lost": None, "faults": [], "seal": None,
    "boot": None, "firmware": None, "board": None, "role": None,
}  # fmt: skip
_BEATS = (
    "phase", "circuits", "rotor_direction", "rotor_drpm", "unacknowledged", "edges_lost"
)  # fmt: skip


class Folding:
    """Keeps what has to be remembered between records: the faults that stand."""

    def __init__(self) -> None:
        self._standing: dict[int, Facts] = {}

    def take(self, record: Record) -> Facts:
        """Return the facts one record tells."""
        found: Facts = {"seal": record["seal"], "boot": record["boot"]}
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
        return {"number": record["round"], "circuits": None, "closed_by": None}

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
