"""What the host read in the picture of a throw, by the policy of the table's terms.

With `both` a result needs two different readers: the table reads with its own logic, the host with
all it has. With `host` the table reads nothing, and what the host reads is the result. Until the
host has read the picture of a round, or has given up, the result is pending; if it reads other
faces than the table, or none, the result is never settled automatically, and two users rule. A
reading is final: a later one changes nothing.
Works on an open transaction, except where a function says otherwise.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, exists, select

from tablespec.names import NAMES
from tabletools.evidence import rounds as rounds_of
from tabletools.evidence.rounds import PENDING, RoundRow
from tabletools.evidence.tables import Terms, terms_at
from tabletools.roles import Record, dice_tray, kind_of
from tabletools.store.rows import fields_of, insert_new
from tabletools.store.schema.evidence import frames, second_readings, traces
from tabletools.store.schema.play import rounds
from tablewire.dice_tray import DICE_RESULT

RESULT = DICE_RESULT
"""Message of a result that the host may read in its picture."""


class Reading(NamedTuple):
    """What the host read."""

    dice: Sequence[int]
    """From low to high."""
    reason: str
    """Why they do not count, "" if they do."""
    release: str
    """Of the reader."""
    referred: bool = False
    """Whether it knew the empty tray."""
    second_picture: bytes = b""
    """By the host's own cameras, PNG; empty where it has none."""


class Awaited(NamedTuple):
    """A result whose picture the host has to read."""

    key: int
    """Row of the round."""
    device: int
    number: int
    """Of the round, as the device counts."""
    trace: int | None
    """Row of its trace, None while it is not here."""
    is_proved: bool
    """Whether the trace came under a session with a key."""
    dice: int
    """How many the game has."""
    frame_crc: int
    """Of the picture that the table read, CRC-32."""
    made_ns: int | None
    """When the table made the result, by the clock of the host; None where that is not known."""


def policy(terms: Terms) -> str:
    """Return who reads the dice by these terms, "" for a game without dice.

    The host, where they do not say, as those of release 1.0.
    """
    return terms.dice_reading or dice_tray.HOST if terms.game in dice_tray.DICE else ""


def is_left(kind: int, payload: Mapping[str, Any]) -> bool:
    """Whether a table left it to the host to read what fell. kind: of the record, on the wire."""
    return kind == RESULT and not dice_tray.faces(payload)


def is_wanted(terms: Terms) -> bool:
    """Whether results under these terms need the reading of the host."""
    return policy(terms) in (dice_tray.HOST, dice_tray.BOTH)


def is_wanted_for(db: Connection, terms: int | None) -> bool:
    """Whether the result of a round needs it, by the terms it opened under. terms: their row."""
    return terms is not None and is_wanted(terms_at(db, terms))


def results() -> Select[Any]:
    """Select the rounds that ended with a dice_result, with its payload and their trace."""
    round_col, trace_col = rounds.c, traces.c
    query = select(
        rounds,
        frames.c.payload,
        frames.c.made_ns,
        trace_col.id.label("trace"),
        trace_col.line_session_id,
    )
    query = query.join(frames, frames.c.id == round_col.ended)
    query = query.outerjoin(
        traces, and_(trace_col.device == round_col.device, trace_col.round == round_col.number)
    )
    return query.where(frames.c.type == RESULT)


def to_read(db: Connection, row: Row[Any]) -> Awaited:
    """Return a result as a reader of its picture needs it. row: of `results`, with terms."""
    dice = dice_tray.DICE[terms_at(db, row.terms_id).game]
    is_proved, crc = row.line_session_id is not None, picture_crc(row.payload)
    return Awaited(row.id, row.device, row.number, row.trace, is_proved, dice, crc, row.made_ns)


def picture_crc(payload: str) -> int:
    """Return the CRC-32 of the picture that the table read, by the payload of its result."""
    return int(json.loads(payload)["frame_crc"])


def awaited(db: Connection, device: int) -> list[Awaited]:
    """Return the results of a device that wait for the host to read them, in order."""
    col = rounds.c
    is_read = exists().where(second_readings.c.round_id == col.id)
    query = results().where(col.device == device, col.verdict == PENDING)
    query = query.where(col.settled == 0, ~is_read).order_by(col.number)
    rows = db.execute(query).all()
    return [to_read(db, row) for row in rows if is_wanted_for(db, row.terms_id)]


def is_awaited(db: Connection, key: int) -> bool:
    """Whether a round is pending because the host has not read its picture yet."""
    device = db.execute(select(rounds.c.device).where(rounds.c.id == key)).scalar_one()
    return any(one.key == key for one in awaited(db, device))


def keep(db: Connection, one: Awaited, reading: Reading, now_ns: int) -> None:
    """Store the reading of a round, unless it has one."""
    values = {
        "round_id": one.key,
        "trace_id": one.trace,
        "dice": json.dumps([*reading.dice]),
        "reason": reading.reason,
        "release": reading.release,
        "referred": int(reading.referred),
        "second_picture": reading.second_picture or None,
        "at_ns": now_ns,
    }
    insert_new(db, second_readings, values)


def of_round(db: Connection, key: int) -> Reading | None:
    """Return what the host read of a round, None while it has not read it."""
    query = select(second_readings).where(second_readings.c.round_id == key)
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    second = row.second_picture or b""
    return Reading(json.loads(row.dice), row.reason, row.release, bool(row.referred), second)


def listing_of(db: Connection, device: int, number: int) -> dict[str, Any] | None:
    """Return what the host read of a round, for a listing; None where the table read alone.

    dice: from low to high; reason: why they do not count, None if they do; at_ns: when.
    has_second_picture: one by the host's own cameras is kept.
    """
    col = second_readings.c
    second = col.second_picture.is_not(None).label("has_second_picture")
    query = select(col.dice, col.reason, col.referred, col.release, col.at_ns, second).join(
        rounds, rounds.c.id == col.round_id
    )
    query = query.where(rounds.c.device == device, rounds.c.number == number)
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    return {
        **fields_of(row),
        "dice": json.loads(row.dice),
        "reason": row.reason or None,
        "referred": bool(row.referred),
        "has_second_picture": bool(row.has_second_picture),
    }


def objection(reading: Reading | None, ended: Record, dice: int) -> str:
    """Return why the reading of the host speaks against a result, "" if it does not.

    ended: the record dice_result; one without faces leaves them to the host. dice: of the game.
    """
    table = dice_tray.faces(ended)
    if reading is None:
        return "the host has not read its picture"
    if reading.reason:
        verb = "confirm" if table else "read"
        return f"the host cannot {verb} the dice in its picture: {reading.reason}"
    if len(reading.dice) != dice:
        return f"the host reads {len(reading.dice)} dice in its picture, {dice} are in play"
    if table and [*reading.dice] != table:
        return f"the host reads {_text(reading.dice)} in its picture, the table {_text(table)}"
    return ""


def objection_to(db: Connection, row: RoundRow, ended: Record) -> str:
    """Return the objection to the result of a round, "" where its terms need no reading.

    ended: its dice_result.
    """
    terms = None if row.terms is None else terms_at(db, row.terms)
    if terms is None or not is_wanted(terms):
        return ""
    return objection_by(terms, of_round(db, row.id), ended)


def objection_by(terms: Terms, reading: Reading | None, ended: Record) -> str:
    """Return why the reading of the host speaks against a result, by terms that need it."""
    return objection(reading, ended, dice_tray.DICE[terms.game])


def with_host_faces(db: Connection, row: RoundRow, ended: Record) -> Record:
    """Return a dice_result with the faces that the host read where the table left them to it.

    row: its round. Any other record, and one not read, is returned as it is.
    """
    is_result = kind_of(ended) == NAMES[RESULT]
    if not is_result or dice_tray.faces(ended) or not is_wanted_for(db, row.terms):
        return ended
    return completed_by(ended, of_round(db, row.id))


def completed_by(ended: Record, reading: Reading | None) -> Record:
    """Return a dice_result with the faces of a reading where the table left them to the host."""
    if reading is None or dice_tray.faces(ended):
        return ended
    return with_faces(ended, reading)


def with_faces(ended: Record, reading: Reading) -> dict[str, Any]:
    """Return a dice_result with the faces of a reading, if they count."""
    faces = () if reading.reason else reading.dice
    return {**ended, **{f"die_{place}": face for place, face in enumerate(faces, 1)}}


def readers(db: Connection, key: int, ended: Record) -> list[str]:
    """Return who read the dice of a dice_result: the table, the host, both, or none yet.

    key: row of its round.
    """
    reading = of_round(db, key)
    has_read = (bool(dice_tray.faces(ended)), reading is not None and not reading.reason)
    return [who for who, has in zip(("table", "host"), has_read, strict=True) if has]


def listed(db: Connection, device: int, number: int, ended: dict[str, Any]) -> dict[str, Any]:
    """Return the dice of a dice_result and who read them, both empty until they are read.

    number: of its round, as the device counts.
    """
    played = rounds_of.find(db, device, number)
    if played is None:
        return {"dice": dice_tray.faces(ended), "read_by": ""}
    read_by = " and ".join(readers(db, played.id, ended))
    return {"dice": dice_tray.faces(with_host_faces(db, played, ended)), "read_by": read_by}


def _text(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice))
