"""The row of a durable record. Works on an open transaction of the inbox."""

import sqlite3
from typing import NamedTuple

from tabletools.evidence.body import body_of, payload_of
from tabletools.evidence.device_clock import Estimate
from tablewire.codec import Frame


class Kept(NamedTuple):
    """What of a record is kept beside its header.

    seal: how far the table is believed; key: number of the key that verified it, or None.
    """

    body: bytes
    payload: str
    wire: bytes
    seal: str
    key: int | None


def kept(frame: Frame, wire: bytes, seal: str, key: int | None) -> Kept:
    """What is kept of a frame; wire: its bytes on the line, delimiter included."""
    return Kept(body_of(frame, wire), payload_of(frame), wire, seal, key)


def insert(
    db: sqlite3.Connection, frame: Frame, found: Kept, made: Estimate | None, now_ns: int
) -> int:
    """Write the row; returns its id. made: when the table made it, if that can be told."""
    row = db.execute(
        "INSERT INTO records (device, boot, counter, type, flags, round, uptime_ms, body, payload,"
        " raw, authentication, key_number, received_ns, device_ns, uncertainty_ns)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            frame.device, frame.boot, frame.counter, frame.type, frame.flags, frame.round,
            frame.uptime_ms, *found, now_ns, made and made.at_ns, made and made.uncertainty_ns,
        ),
    ).lastrowid  # fmt: skip
    assert row is not None
    return row
