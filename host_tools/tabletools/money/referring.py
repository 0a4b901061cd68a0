"""Which bets are referred to two users, because they came late or are not proved to be earlier."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, case, exists

from tabletools.store.schema.play import bets, referrals

_MOST_NAMED = 5  # bets named in the text of an alarm


def is_referred() -> ColumnElement[bool]:
    """Return the condition that a bet is, or was, referred to two users."""
    is_kept = exists().where(referrals.c.bet_id == bets.c.id)
    return (bets.c.standing == "referred") | is_kept


def standing() -> ColumnElement[str]:
    """Return the standing of a row of bets: valid or referred."""
    return case((is_referred(), "referred"), else_="valid")


def named(numbers: Sequence[int]) -> str:
    """Return bets as an alarm lists them: the first ones, and how many more there are."""
    first = ", ".join(map(str, numbers[:_MOST_NAMED]))
    more = f" and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else ""
    return f"{'bet' if len(numbers) == 1 else 'bets'} {first}{more}"
