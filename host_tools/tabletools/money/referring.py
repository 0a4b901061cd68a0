"""Refer bets that are not proved to be earlier than no-more-bets; they need a ruling to be paid.

A bet is proved early if the clock of the table was known when it was accepted, and the latest
value that clock can have had is before the time of no-more-bets, in the same boot. Works on an
open transaction.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, RowMapping, case, exists, select

from tabletools.evidence import alarms
from tabletools.evidence.alarms import Found
from tabletools.link.freshness import signed_ms
from tabletools.store.rows import insert_many
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import bets, referrals, withdrawals
from tablewire.codec import Frame

NOT_BEFORE, NO_READING, OTHER_BOOT = "not_before", "no_reading", "other_boot"
_SHOWN = 5  # bets named in the text of an alarm


def is_referred() -> ColumnElement[bool]:
    """Return the condition that a bet is, or was, referred to two users."""
    is_kept = exists().where(referrals.c.bet_id == bets.c.id)
    return (bets.c.standing == "referred") | is_kept


def standing() -> ColumnElement[str]:
    """Return the standing of a row of bets: valid or referred."""
    return case((is_referred(), "referred"), else_="valid")


def named(numbers: Sequence[int]) -> str:
    """Return bets as an alarm lists them: the first ones, and how many more there are."""
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
    return f"{'bet' if len(numbers) == 1 else 'bets'} {shown}{more}"


def refer_unproved(db: Connection, row: RowMapping, closed: Frame, now_ns: int) -> None:
    """Refer the bets of a round that its no-more-bets does not prove to be early, with an alarm.

    row: of the round, which no settlement has decided yet.
    """
    at, key = bets.c, row["id"]
    is_back = exists().where(withdrawals.c.bet_id == at.id)
    query = (
        select(at.id, at.device_boot, at.device_ms, at.uncertainty_ms)
        .where(at.round_id == key, at.carried_from.is_(None), ~is_back, ~is_referred())
        .order_by(at.id)
    )
    found = []
    for bet, boot, shown_ms, uncertainty_ms in db.execute(query):
        cause = _cause(closed, boot, shown_ms, uncertainty_ms)
        if cause:
            found.append((bet, key, cause, now_ns))
    if not found:
        return
    insert_many(db, referrals, ("bet_id", "round_id", "cause", "at_ns"), found)
    names, they = named([bet[0] for bet in found]), "it" if len(found) == 1 else "they"
    text = f"{names}: nothing proves that {they} came before no-more-bets"
    text += "; two users have to rule"
    alarms.raise_alarm(
        db, Found(alarms.LATE_BET, text, closed.device, row["table_id"], key), now_ns
    )


def report_unproved_withdrawals(db: Connection, row: RowMapping, record: int, now_ns: int) -> None:
    """Raise an alarm for bets taken back or changed not provably before no-more-bets.

    row: of the round. record: row of its no-more-bets. The stake is with the player, who may have
    played on with it, so nothing is booked.
    """
    at = withdrawals.c
    query = (
        select(at.bet_id)
        .join(bets, bets.c.id == at.bet_id)
        .where(bets.c.round_id == row["id"], at.cause.in_(("withdrawn", "changed")))
        .order_by(at.bet_id)
    )
    closed = db.execute(select(frames).where(frames.c.id == record)).one()
    if closed.made_ns is not None:
        query = query.where(at.at_ns >= closed.made_ns - closed.uncertainty_ns)
    found = list(db.execute(query).scalars())
    if found:
        text = f"{named(found)}: nothing proves that the stake was taken back or changed before"
        text += " no-more-bets; it was returned"
        alarm = Found(alarms.LATE_WITHDRAWAL, text, closed.device, row["table_id"], row["id"])
        alarms.raise_alarm(db, alarm, now_ns)


def _cause(
    closed: Frame, boot: int | None, shown_ms: int | None, uncertainty_ms: int | None
) -> str:
    """Return why a bet is not proved early, empty if it is."""
    if boot is None or shown_ms is None or uncertainty_ms is None:
        return NO_READING
    if boot != closed.boot:
        return OTHER_BOOT
    is_before = signed_ms(shown_ms + uncertainty_ms - closed.uptime_ms) < 0
    return "" if is_before else NOT_BEFORE
