"""What an inbox holds, as plain records for a reader; and the release of a stopped table."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tablespec.config import KEYS
from tabletools import decode
from tabletools.inbox import configuration, rounds
from tabletools.inbox.database import errors_explained, transaction
from tabletools.roles import card_shoe
from tablewire.card_shoe import CARDS_ENDED
from tablewire.dice_tray import DICE_RESULT
from tablewire.draw_machine import DRAW_RESULT
from tablewire.framing import Receiver
from tablewire.messages import CONFIGURATION_CHANGED, ROUND_VOID
from tablewire.money_wheel import MONEY_WHEEL_RESULT
from tablewire.roulette import WHEEL_RESULT
from tablewire.shuffler import CARD_ROUND_ENDED

Row = dict[str, Any]

_NS = 1_000_000_000
_ROUNDS = """
SELECT r.device, r.round, r.verdict, o.received_ns AS opened_ns, c.received_ns AS closed_ns,
    e.received_ns AS ended_ns, e.device_ns AS made_ns, e.uncertainty_ns, e.type, e.payload, e.raw,
    e.authentication, length(t.data) AS trace_bytes,
    s.record IS NOT NULL AS settleable, o.boot = e.boot AS same_boot,
    (e.uptime_ms - o.uptime_ms) & 4294967295 AS took_ms
FROM rounds r LEFT JOIN records o ON o.id = r.opened LEFT JOIN records c ON c.id = r.closed
    LEFT JOIN records e ON e.id = r.ended
    LEFT JOIN traces t ON t.device = r.device AND t.round = r.round
    LEFT JOIN settleable s ON s.device = r.device AND s.round = r.round
ORDER BY r.device, r.round
"""


def utc(at_ns: int | None) -> str | None:
    """A time as ISO 8601 with milliseconds, None for an unknown one."""
    if at_ns is None:
        return None
    seconds, rest = divmod(at_ns, _NS)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{rest // 1_000_000:03d}Z"


# What is listed of the record that ended a round.
_TOLD = {
    WHEEL_RESULT: ("pocket",),
    MONEY_WHEEL_RESULT: ("pays", "segment"),
    DICE_RESULT: ("dice",),
    CARD_ROUND_ENDED: ("dealing_ms",),
    CARDS_ENDED: ("count",),
    DRAW_RESULT: ("drawn", "balls"),
    ROUND_VOID: ("code", "reason"),
}


_DICE = tuple(f"die_{n}" for n in range(1, 7))


class Listing:
    """Reads an inbox. Raises InboxError if that cannot be done."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._db.row_factory = sqlite3.Row

    def rounds(self) -> Iterator[Row]:
        """Every round with its result or the reason of its void, and its times."""
        for row in self._rows(_ROUNDS):
            found: Row = {name: row[name] for name in ("device", "round", "verdict")}
            found |= dict.fromkeys(("end", "pocket", "pays", "segment", "dice", "code", "reason"))
            if row["raw"] is not None:
                end = _decoded(row["raw"])
                found["end"] = end["type"]
                if row["type"] == DICE_RESULT:
                    end["dice"] = [end[name] for name in _DICE if end[name]]
                found |= {name: end[name] for name in _TOLD[row["type"]]}
                if row["type"] == CARDS_ENDED:
                    records = rounds.of_round(self._db, row["device"], row["round"]).values()
                    found["cards"] = " ".join(card_shoe.dealt_in(records))
            found |= {n: utc(row[f"{n}_ns"]) for n in ("opened", "closed", "ended", "made")}
            found["uncertainty_ms"] = _ms(row["uncertainty_ns"])
            # By the table's own clock, so that no step of a clock makes it negative.
            found["took_ms"] = row["took_ms"] if row["same_boot"] else None
            found["authentication"] = row["authentication"]
            found["settleable"] = bool(row["settleable"])
            found["trace_bytes"] = row["trace_bytes"]
            yield found

    def alarms(self) -> Iterator[Row]:
        """Every alarm, oldest first; raw: the frame refused, as hex."""
        for row in self._rows("SELECT * FROM alarms ORDER BY id"):
            found = dict(row)
            found["at"] = utc(found.pop("at_ns"))
            found["raw"] = found["raw"] and found["raw"].hex()
            del found["body"]
            yield found

    def attestations(self) -> Iterator[Row]:
        """What tables attested of their programs, oldest first; digest: as hex."""
        for row in self._rows("SELECT * FROM attestations ORDER BY id"):
            found = dict(row)
            found["at"] = utc(found.pop("at_ns"))
            found["digest"] = found["digest"] and found["digest"].hex()
            del found["id"]
            yield found

    def gaps(self) -> Iterator[Row]:
        """Every gap in the counters, open and closed, in order."""
        for row in self._rows("SELECT * FROM gaps ORDER BY device, boot, first"):
            found = dict(row)
            found["seen"] = utc(found.pop("seen_ns"))
            found["closed"] = utc(found.pop("closed_ns"))
            del found["id"]
            yield found

    def records(self, number: int) -> Iterator[Row]:
        """The records of a round on any table, decoded, with their raw bytes as hex."""
        rows = self._rows(
            "SELECT * FROM records WHERE round = ? ORDER BY device, boot, counter", number
        )
        for row in rows:
            found = _decoded(row["raw"])
            for name in ("offset", "length", "authenticated", "seal"):
                del found[name]
            found["authentication"] = row["authentication"]
            found["key_number"] = row["key_number"]
            found["received"] = utc(row["received_ns"])
            found["made"] = utc(row["device_ns"])
            found["uncertainty_ms"] = _ms(row["uncertainty_ns"])
            found["repeats"] = row["repeats"]
            found["raw"] = row["raw"].hex()
            yield found

    def configurations(self, number: int) -> Iterator[Row]:
        """The values in force when a round opened, on any table; null where nothing tells."""
        rows = self._rows(
            "SELECT rounds.device, boot, counter FROM rounds JOIN records ON records.id = opened"
            " WHERE rounds.round = ? ORDER BY rounds.device",
            number,
        )
        for device, *place in list(rows):
            values = configuration.in_force(self._db, device, (place[0], place[1]))
            named = {key.name: values.get(key.number) for key in KEYS}
            yield {"device": device, "round": number, "values": named}

    def changes(self) -> Iterator[Row]:
        """Every change of a configuration, with who ordered it if that was kept."""
        rows = self._rows(
            "SELECT raw, received_ns, device_ns, author FROM records"
            " LEFT JOIN order_records USING (device, boot, counter)"
            " LEFT JOIN orders ON orders.id = ordered"
            " WHERE records.type = ? ORDER BY records.device, boot, counter",
            CONFIGURATION_CHANGED,
        )
        for row in rows:
            told = _decoded(row["raw"])
            found = {name: told[name] for name in ("device", "boot", "counter")}
            found |= {name: told[name] for name in ("value", "previous", "cause", "revision")}
            found["key"] = told["key_name"] or told["key"]
            found["author"] = row["author"]
            found["received"], found["made"] = utc(row["received_ns"]), utc(row["device_ns"])
            yield found

    def tables(self) -> Iterator[Row]:
        """Every table: whether its bets are open, whether it is stopped and why, its clock."""
        rows = self._rows(
            "SELECT device, max(boot) AS boot, drift_ppb, sum(reordered) AS reordered,"
            " bets_open, cause, reason AS stopped, (SELECT sum(repeats) FROM records"
            " WHERE records.device = boots.device) AS repeats FROM boots"
            " LEFT JOIN tables USING (device)"
            " LEFT JOIN (SELECT device, reason FROM stops WHERE released_ns IS NULL)"
            " USING (device) GROUP BY device ORDER BY device"
        )
        for row in rows:
            found = dict(row)
            found["drift_ppm"] = (found.pop("drift_ppb") or 0) / 1000
            found["bets_open"] = bool(found["bets_open"])
            yield found

    def steps(self) -> Iterator[Row]:
        """Every step of a clock; device null: of this host."""
        for row in self._rows("SELECT * FROM clock_events ORDER BY id"):
            yield {
                "at": utc(row["at_ns"]),
                "device": row["device"],
                "boot": row["boot"],
                "kind": row["kind"],
                "step_ms": _ms(row["step_ns"]),
            }

    def _rows(self, text: str, *values: int) -> Iterator[sqlite3.Row]:
        with errors_explained():
            yield from self._db.execute(text, values)


def release(connection: sqlite3.Connection, device: int, why: str, now_ns: int) -> bool:
    """Let a stopped table play on; the stop stays on record. False if none stands."""
    with transaction(connection):
        count = connection.execute(
            "UPDATE stops SET released_ns = ?, released_why = ?"
            " WHERE device = ? AND released_ns IS NULL",
            (now_ns, why, device),
        ).rowcount
        count += connection.execute(
            "UPDATE unread SET closed_ns = ?, closed_by = 'released'"
            " WHERE device = ? AND closed_ns IS NULL",
            (now_ns, device),
        ).rowcount
    return bool(count)


def _decoded(raw: bytes) -> Row:
    [frame] = Receiver().feed(raw)
    return decode.record(frame)


def _ms(span_ns: int | None) -> float | None:
    return None if span_ns is None else round(span_ns / 1_000_000, 3)
