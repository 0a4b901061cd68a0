"""The reference consumer: each event of a broker into an SQLite file, exactly once.

Acknowledges after the commit, so nothing is lost; stores (source, id), so nothing is doubled. A
message that is not an event, or contradicts one, is stored aside and acknowledged, or it would be
sent again and again.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from paho.mqtt.client import MQTTMessage

from tabletools import private_file
from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.mqtt import Line

# How long the broker stores what we missed: a week, as long as the events themselves.
SESSION_S = 7 * 24 * 3600
READ_S = 0.2
PAUSE_S = 1.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    source TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL,
    time TEXT NOT NULL, sequence TEXT NOT NULL, table_number INTEGER, data TEXT NOT NULL,
    UNIQUE (source, id)
) STRICT;
CREATE TABLE IF NOT EXISTS refused (
    position INTEGER PRIMARY KEY,
    topic TEXT NOT NULL, why TEXT NOT NULL, payload BLOB NOT NULL,
    UNIQUE (topic, why, payload)
) STRICT;
"""
_INSERT = """
INSERT INTO events (source, id, type, subject, time, sequence, table_number, data)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_KNOWN = "SELECT type, subject, time, sequence, table_number, data FROM events"
_REFUSE = "INSERT INTO refused (topic, why, payload) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class LandingError(Exception):
    """The file cannot be used."""


class Landed(NamedTuple):
    """Counts of received messages: new events, repeats of stored events, refused."""

    new: int = 0
    repeats: int = 0
    refused: int = 0


class Landing:
    """The file. at: called at each step of a write; a test may end the program there."""

    def __init__(self, file: Path, *, at: Callable[[str], None] = lambda step: None) -> None:
        self._at = at
        private_file.create(file)
        try:
            self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise LandingError(f"{file}: {error}") from error

    def land(self, messages: Sequence[tuple[str, bytes]]) -> Landed:
        """Store messages, topic and payload, in one transaction. Raises sqlite3.Error."""
        counts = [0, 0, 0]
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._at("begun")
            for topic, payload in messages:
                counts[self._keep(topic, payload)] += 1
                self._at("inserted")
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._at("committed")
        return Landed(*counts)

    def count(self) -> int:
        """Return the number of stored events."""
        return int(self._db.execute("SELECT count(*) FROM events").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _keep(self, topic: str, payload: bytes) -> int:
        """Return the index of its result in Landed."""
        try:
            row = _row(payload)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return self._refuse(topic, payload, f"not an event: {error!r}")
        if self._db.execute(_INSERT, row).rowcount:
            return 0
        before = self._db.execute(f"{_KNOWN} WHERE source = ? AND id = ?", row[:2]).fetchone()
        if before == row[2:]:
            return 1
        return self._refuse(topic, payload, "different content under the id of an event")

    def _refuse(self, topic: str, payload: bytes, why: str) -> int:
        self._db.execute(_REFUSE, (topic, why, payload))
        return 2


class Consumer:
    """One reader of one broker. ident: its name there, always the same, for its session."""

    def __init__(
        self,
        broker: Broker,
        landing: Landing,
        ident: str,
        *,
        prefix: str = "tablewire",
        at: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.down = ""
        self.landed = Landed()
        self._broker = broker
        self._landing = landing
        self._ident = ident
        self._topics = (f"{prefix}/table/+/event/#", f"{prefix}/house/event/#")
        self._at = at
        self._received: list[MQTTMessage] = []
        self._line: Line | None = None

    def run(self, stop: threading.Event, *, until: Callable[[], bool] = lambda: False) -> None:
        """Store events until stopped; reconnects to a broker that is gone."""
        while not stop.is_set() and not until():
            try:
                self.step()
            except (BrokerError, sqlite3.Error) as error:
                self.down = str(error)
                self._drop()
                stop.wait(PAUSE_S)
        self.close()

    def close(self) -> None:
        """Disconnect; the broker stores what arrives meanwhile."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def step(self) -> None:
        """Read once, store, acknowledge. Raises BrokerError, sqlite3.Error."""
        line = self._open()
        line.drive(READ_S)
        if not self._received:
            return
        self._at("received")
        landed = self._landing.land([(one.topic, bytes(one.payload)) for one in self._received])
        self.landed = Landed._make(map(sum, zip(self.landed, landed, strict=True)))
        received, self._received = self._received, []
        for one in received:
            line.acknowledge(one)
            self._at("acknowledged")

    def _open(self) -> Line:
        if self._line is None:
            self._received = []
            line = Line(
                self._broker,
                self._ident,
                session_s=SESSION_S,
                on_message=lambda m: self._received.append(m),
            )
            line.open()
            for topic in self._topics:
                line.subscribe(topic)
            self._line, self.down = line, ""
        return self._line

    def _drop(self) -> None:
        if self._line is not None:
            self._line.drop()
            self._line = None


def _row(payload: bytes) -> tuple[object, ...]:
    """Return the columns of an event.

    Raises ValueError, TypeError, KeyError or RecursionError if it is invalid.
    """
    event = json.loads(payload)
    if event["specversion"] != "1.0":
        raise ValueError(f"specversion {event['specversion']!r}")
    names = ("source", "id", "type", "subject", "time", "sequence")
    texts = [event[name] for name in names]
    table = event.get("table")
    if not all(isinstance(text, str) and text for text in texts):
        raise TypeError("an attribute is not text")
    "".join(texts).encode()  # a lone surrogate cannot be stored
    if table is not None and (type(table) is not int or not 0 <= table < 1 << 63):
        raise TypeError("table is not a whole number of 63 bits")
    data = json.dumps(event["data"], sort_keys=True, separators=(",", ":"))
    return (*texts, table, data)
