"""The records of a round, decoded when they were stored. Works on an open transaction.

Only valid records are read.
"""

import json

from sqlalchemy import Connection, select

from tablespec.names import NAMES
from tabletools import roles
from tabletools.evidence import second_readings
from tabletools.evidence.records import (
    FRAMES,
    NOTHING_WAITING,
    frame_at,
    frame_rows,
)
from tabletools.evidence.rounds import RoundRow
from tabletools.evidence.tables import Terms, terms_at
from tabletools.roles import Played, Record
from tabletools.roles.frame_record import FrameRow, decoded, values_of
from tabletools.store.schema.evidence import frames, gaps, unread_records
from tabletools.store.schema.play import rounds
from tablewire.messages import FLAG_RETRANSMITTED, FLAG_TEST_MODE, ROUND_VOID

OF_PARTS = frozenset((*roles.results(are=lambda role: not role.is_whole), ROUND_VOID))
"""Numbers on the wire of the ends that other records of the round complete."""


def void_may_pay(db: Connection, row: RoundRow) -> bool:
    """Whether a void may leave bets of the round won or lost: every record of it is needed.

    Without terms it is unknown what was played.
    """
    game = played(db, row.terms).game
    return game is None or roles.is_card_game(game)


def lacks_records(db: Connection, row: RoundRow, end: FrameRow) -> bool:
    """Whether a void needs every record of its round, and another host may have some of them.

    end: the record that ended it.
    """
    is_void = end.type == ROUND_VOID
    return is_void and void_may_pay(db, row) and not _is_whole(db, row, end)


def _is_whole(db: Connection, row: RoundRow, ended: FrameRow) -> bool:
    """Whether this host stored every record of a round, and each of them was read and counts.

    "Nothing waits" means that every record was acknowledged, perhaps by another host. None can
    have done so under the one session in which the round opened live and ended, nor where no
    counter is missing.
    """
    frame_col = frames.c
    of_round = select(frame_col.id).where(
        frame_col.device == row.device, frame_col.round == row.number
    )
    unread_col = unread_records.c
    unread = select(unread_col.id).where(
        unread_col.device == row.device, unread_col.round == row.number
    )
    left_out = (
        of_round.where(frame_col.counts == 0),
        unread.where(unread_col.closed_by == "released"),
    )
    if row.opened is None or any(db.execute(each.limit(1)).first() for each in left_out):
        return False
    opened = frame_at(db, row.opened)
    is_live = not opened.flags & FLAG_RETRANSMITTED
    if is_live and opened.line_session_id == ended.line_session_id:
        return True
    if opened.boot != ended.boot:
        return False  # what that boot sent last leaves no gap
    gap = gaps.c
    missing = select(gap.id).where(
        gap.device == row.device,
        gap.boot == opened.boot,
        gap.closed_by == NOTHING_WAITING,
        gap.last > opened.counter,
        gap.first < ended.counter,
    )
    return db.execute(missing.limit(1)).first() is None


def is_test(db: Connection, device: int, number: int) -> bool:
    """Whether a round was played in test mode: its records are evidence, and it has no row."""
    col = frames.c
    query = select(col.flags).where(col.device == device, col.round == number, col.counts == 0)
    return any(flags & FLAG_TEST_MODE for flags in db.execute(query).scalars())


def played(db: Connection, terms: int | None) -> Played:
    """Return what was played by the terms of a row, None for a round without terms."""
    return Played(None) if terms is None else played_by(terms_at(db, terms))


def played_by(terms: Terms) -> Played:
    """Return what is played by terms."""
    dice_reading = second_readings.policy(terms)
    return Played(terms.game, terms.rules, terms.options, terms.variant, dice_reading)


def of_round(db: Connection, row: RoundRow, end: int) -> tuple[Record, list[Record]]:
    """Return the record that ended a round, decoded, and all of the round if they matter."""
    return with_parts(db, row, frame_at(db, end))


def with_parts(db: Connection, row: RoundRow, end: FrameRow) -> tuple[Record, list[Record]]:
    """Return the same as of_round. end: the record that ended the round."""
    ended = decoded(end)
    if end.type not in OF_PARTS:
        return ended, [ended]
    return ended, all_of(db, row.device, row.number)


def all_of(db: Connection, device: int, number: int, *, counts_alone: bool = True) -> list[Record]:
    """Return the records of a round, decoded, in the order of the device."""
    col = frames.c
    query = FRAMES.where(col.device == device, col.round == number)
    if counts_alone:
        query = query.where(col.counts == 1)
    return [decoded(row) for row in frame_rows(db, query.order_by(col.boot, col.counter))]


def end_of(db: Connection, device: int, number: int) -> tuple[int, tuple[int | bytes, ...]] | None:
    """Return type and values of the record that ended a round, None if it did not end."""
    col = frames.c
    query = select(col.type, col.payload).join(rounds, rounds.c.ended == col.id)
    row = db.execute(query.where(rounds.c.device == device, rounds.c.number == number)).first()
    return None if row is None else (int(row.type), values_of(json.loads(row.payload).values()))


def run_ms(kind: int, payload: str) -> int | None:
    """Return how long a machine ran from the first sign of the ball to its result, if it is known.

    kind: of the record, on the wire. payload: as stored.
    """
    name = roles.of_result(NAMES[kind])
    run = None if name is None else roles.role(name).run_ms
    return None if run is None else run(payload)
