"""Whose turn it is to throw the dice: hc2023 4:2(4), 4:3(4) and 4:4(5).

After each winning throw the turn moves one place clockwise, past players who do not want to throw.
The text leaves open what a winning throw is (READING-49), and no sensor reads where players stand,
so a dealer says when and where it moves. Each round has the thrower it was played with; no bet
depends on who that is.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, insert, select

from tabletools.games import GAMES
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.books import accounts
from tabletools.store.schema.play import rounds, throwers
from tabletools.table import shell
from tabletools.table.shell import Turn

MOST_PLACES = 20
"""Places at a table of dice, counted clockwise from 1."""
NAMED, WON, DECLINED, ENDED = "named", "won", "declined", "ended"
"""Why the turn moved: a dealer named a player; after a winning throw; the next player does not
want to throw; nobody throws any more."""
CHANGED = "tablewire.thrower.changed"


class Thrower(NamedTuple):
    """Who throws: a place at the table, and its player where a dealer named one."""

    place: int
    account: int | None
    player_number: str | None


def move(
    ledger: Store, lease: Lease, place: int, why: str, who: Actor, account: int | None = None
) -> None:
    """Give the turn to a place, from the round being played on, or else from the next.

    place: 1 to MOST_PLACES; why: NAMED, WON or DECLINED. account: of the player who stands there.
    Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> None:
        _verify_dice(turn)
        before = present(turn.db, turn.table)
        if before is None and why != NAMED:
            what = f"nobody has the turn at table {turn.shared.name}, so it cannot move on"
            raise LedgerRejection("no_thrower", what, "name the first thrower", "why")
        if not 1 <= place <= MOST_PLACES:
            what = f"place {place} is not between 1 and {MOST_PLACES}"
            raise LedgerRejection("place_invalid", what, "count from 1, clockwise", "place")
        player = None if account is None else _player(turn, account)
        thrower = Thrower(place, account, player)
        if thrower == before:
            what = f"place {place} of table {turn.shared.name} has the turn already"
            raise LedgerRejection("thrower_unchanged", what, "name another place", "place")
        _add(turn, thrower, why, who)

    shell.run(ledger, lease, write)


def end(ledger: Store, lease: Lease, who: Actor) -> None:
    """Note that nobody has the turn any more. Raises LedgerRejection, LostLease, StoreError."""

    def write(turn: Turn) -> None:
        if present(turn.db, turn.table) is None:
            what = f"nobody has the turn at table {turn.shared.name}"
            raise LedgerRejection("no_thrower", what, "see the dealer's page")
        _add(turn, None, ENDED, who)

    shell.run(ledger, lease, write)


def _verify_dice(turn: Turn) -> None:
    terms = turn.shared.terms
    game = None if terms is None else turn.terms_at(terms).game
    if game is None or GAMES[game].dice is None:
        what = f"no player throws at table {turn.shared.name}: it has no game of dice"
        raise LedgerRejection("no_dice", what, "choose a table of Sic Bo, Diceball or Barbut")


def _player(turn: Turn, account: int) -> str:
    """Return the number of a player. Raises LedgerRejection."""
    col, currency = accounts.c, turn.shared.currency
    query = select(col.player_number).where(
        col.id == account, col.kind == "player", col.currency == currency
    )
    number: str | None = turn.db.execute(query).scalar_one_or_none()
    if number is None:
        what = f"account {account} is not a player account in {currency}"
        raise LedgerRejection("no_such_player", what, "list them", "account")
    return number


def _add(turn: Turn, thrower: Thrower | None, why: str, who: Actor) -> None:
    place, account, player = (None, None, None) if thrower is None else thrower
    values = {
        "table_id": turn.table,
        "after_round": _round_before(turn, why),
        "place": place,
        "account_id": account,
        "why": why,
        "user_id": who.user,
        "at_ns": turn.now_ns,
    }
    row = turn.db.execute(insert(throwers).values(**values).returning(throwers.c.id)).scalar_one()
    subject = f"table {turn.table}"
    audit.note(turn.db, who, "thrower", subject, turn.now_ns, place=place, player=player, why=why)
    data = {"table": turn.table, "place": place, "player": player, "why": why, "user": who.name}
    event = OutboxEvent(f"thrower-{row}", CHANGED, f"table/{turn.table}", data, turn.table)
    enqueue(turn.db, event, turn.now_ns)


def _round_before(turn: Turn, why: str) -> int:
    """Return a number above which are the rows of the rounds that are thrown by the new turn.

    After no more bets the winning throw is that of the round being played: its result may be late.
    """
    current = turn.state.round
    is_thrown = current is not None and current.closed is not None
    return current.id if current is not None and why == WON and is_thrown else turn.newest_over()


# --- who threw -----------------------------------------------------------------------------------

_TURNS = (
    select(
        throwers.c.after_round, throwers.c.place, throwers.c.account_id, accounts.c.player_number
    )
    .outerjoin(accounts, accounts.c.id == throwers.c.account_id)
    .order_by(throwers.c.id)
)


def present(db: Connection, table: int) -> Thrower | None:
    """Return who has the turn at a table, None if nobody has."""
    return _newest(db, _TURNS.where(throwers.c.table_id == table))


def of_round(db: Connection, key: int) -> Thrower | None:
    """Return who had the turn in a round, None if nobody was named."""
    query = _TURNS.join(rounds, rounds.c.table_id == throwers.c.table_id)
    return _newest(db, query.where(rounds.c.id == key, throwers.c.after_round < key))


def _newest(db: Connection, query: Select[Any]) -> Thrower | None:
    newest = query.order_by(None).order_by(throwers.c.id.desc()).limit(1)
    return _thrower(db.execute(newest).one_or_none())


def _thrower(row: Row[Any] | None) -> Thrower | None:
    if row is None or row.place is None:
        return None
    return Thrower(row.place, row.account_id, row.player_number)


def names(db: Connection, table: int, keys: Sequence[int | None]) -> list[str]:
    """Return who threw in each round of a table by its row: a player, or else a place.

    Empty where nobody was named, and for None, a throw of no round.
    """
    turns = db.execute(_TURNS.where(throwers.c.table_id == table)).all()
    bounds = [turn.after_round for turn in turns]
    named = [_name(_thrower(turn)) for turn in turns]
    # The newest turn that began before the round.
    places = (0 if key is None else bisect_left(bounds, key) for key in keys)
    return [named[place - 1] if place else "" for place in places]


def _name(thrower: Thrower | None) -> str:
    if thrower is None:
        return ""
    return f"place {thrower.place}" if thrower.player_number is None else thrower.player_number
