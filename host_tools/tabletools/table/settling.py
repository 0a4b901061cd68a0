"""From a result to money: every bet of a round settled, posted and published in one transaction.

Works on an open transaction. Only `tabletools.settle` computes what a bet pays.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    RowMapping,
    bindparam,
    exists,
    insert,
    select,
    text,
    update,
)

from tabletools.evidence import alarms, round_records, round_validity
from tabletools.evidence.alarms import Found
from tabletools.evidence.rounds import by_key, find
from tabletools.evidence.tables import Terms, terms_at
from tabletools.money import books, games, meters
from tabletools.money.books import Entry
from tabletools.money.games import StoredBet
from tabletools.money.referring import is_referred
from tabletools.settle import Settlement, Totals, totals, verify_balance
from tabletools.store.audit import Actor
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.rows import all_rows, insert_many
from tabletools.store.schema.books import accounts
from tabletools.store.schema.play import (
    bets,
    round_settlements,
    rounds,
    rulings,
    settlements,
    tables,
    withdrawals,
)
from tabletools.table.shell import Turn
from tabletools.table.state import Round, TableAccounts, TableState

_COLUMNS = (
    "bet_id", "generation", "round_id", "outcome", "stake_cents", "win_cents", "back_cents",
    "live_cents", "lost_cents", "state", "rule",
)  # fmt: skip
_IS_CARRIED = bets.c.carried_from.is_not(None)
# Built once: SQLAlchemy takes longer to build such a query than SQLite to execute it.
_IN_PLAY = (
    select(
        bets.c.id, bets.c.account_id, bets.c.slip, bets.c.stake_cents, bets.c.state, _IS_CARRIED
    )
    .where(
        bets.c.round_id == bindparam("round"),
        ~exists().where(withdrawals.c.bet_id == bets.c.id),
        ~is_referred() | exists().where(rulings.c.bet_id == bets.c.id, rulings.c.is_valid == 1),
    )
    .order_by(bets.c.id)
)
_LINES = settlements.c
_SETTLED = (
    select(
        bets.c.id, bets.c.account_id, bets.c.slip, bets.c.stake_cents,
        bets.c.state.label("before"), _IS_CARRIED, _LINES.outcome, _LINES.stake_cents,
        _LINES.win_cents, _LINES.back_cents, _LINES.live_cents, _LINES.lost_cents, _LINES.state,
        _LINES.rule,
    )
    .join(bets, bets.c.id == _LINES.bet_id)
    .where(_LINES.round_id == bindparam("round"), _LINES.generation == bindparam("generation"))
    .order_by(_LINES.bet_id)
)  # fmt: skip
_LIVE = """
SELECT b.id, s.generation, b.account_id, b.slip, s.live_cents, s.state, r.id AS origin
FROM settlements s JOIN rounds r ON r.id = s.round_id AND r.settled = s.generation
JOIN bets b ON b.id = s.bet_id
WHERE s.live_cents > 0 AND r.table_id = :table AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = b.id AND c.carried_generation = s.generation
) ORDER BY r.id, b.id
"""


class Decision(NamedTuple):
    """The outcome of a round, and who decided it if no table did.

    outcome: as `settle` reads it.
    """

    outcome: Mapping[str, object]
    is_void: bool
    users: tuple[Actor, Actor] | None = None
    reason: str | None = None
    reversal: int | None = None


def accounts_of(turn: Turn, game: str = "") -> TableAccounts:
    """Return the accounts of a table, created if missing. game: of what is settled."""
    known, currency = turn.state.accounts, turn.shared.currency
    name = currency, books.RAKE if game == games.POKER_ROOM else books.HOUSE
    if name not in known:
        known[name] = table_accounts(turn.db, turn.table, turn.now_ns, game)
    return known[name]


def table_accounts(db: Connection, table: int, now_ns: int, game: str = "") -> TableAccounts:
    """Return the same from the database."""
    currency = db.execute(select(tables.c.currency).where(tables.c.id == table)).scalar_one()
    escrow, bank = (
        books.account(db, kind, f"table {table}", currency, now_ns=now_ns, table=table)
        for kind in (books.ESCROW, books.HOUSE)
    )
    if game == games.POKER_ROOM:
        name = f"table {table}"
        bank = books.account(db, books.RAKE, name, currency, now_ns=now_ns, table=table)
    return TableAccounts(escrow, bank, currency)


def staked_cents(db: Connection, table: int) -> int:
    """Return the open stakes of a table, cents."""
    query = select(accounts.c.balance_cents).where(
        accounts.c.table_id == table, accounts.c.kind == books.ESCROW
    )
    return int(db.execute(query).scalar_one_or_none() or 0)


def in_play(db: Connection, round_key: int) -> list[StoredBet]:
    """Return the bets a round settles: not withdrawn, and ruled valid if they came late."""
    new = tuple.__new__
    return [new(StoredBet, row) for row in all_rows(db, _IN_PLAY, {"round": round_key})]


_EARLIER = rounds.alias("earlier").c
_HAS_STAKES = exists().where(
    bets.c.round_id == _EARLIER.id, ~exists().where(withdrawals.c.bet_id == bets.c.id)
)


def _held(device: ColumnElement[int], number: ColumnElement[int]) -> ColumnElement[bool]:
    """The condition that an earlier round of a device is pending and has stakes.

    They may stay in play for the next round, so that is not settled before.
    """
    return exists().where(
        _EARLIER.device == device, _EARLIER.number < number, _EARLIER.settled == 0,
        _EARLIER.verdict == round_validity.PENDING, _HAS_STAKES,
    )  # fmt: skip


_IS_HELD = select(_held(bindparam("device"), bindparam("number")))


def due(state: TableState, device: int) -> list[Round]:
    """Return the rounds of a device at the table to be settled now, in order: valid, not held."""
    return [
        each
        for each in state.of_device(device)
        if each.table == state.table
        and not each.settled
        and each.verdict == round_validity.BELIEVED
        and each.outcome is not None
        and not state.is_held(each)
    ]


def is_held(db: Connection, row: RowMapping) -> bool:
    """Whether a valid round is not settled before an earlier one. row: of the round."""
    name = {"device": row["device"], "number": row["number"]}
    return bool(db.execute(_IS_HELD, name).scalar_one())


def close_stakes(db: Connection, rows: Sequence[tuple[int, int, str, int]]) -> None:
    """Close stakes. rows: bet, posting that moved its stake, cause, time."""
    insert_many(db, withdrawals, ("bet_id", "posting_id", "cause", "at_ns"), rows)


def refund(
    db: Connection, bet: RowMapping, cause: str, now_ns: int, user: int | None = None
) -> None:
    """Return a stake to its player by a ruling. bet: its row. user: the one named first."""
    house = table_accounts(db, bet["table_id"], now_ns)
    cents = bet["stake_cents"]
    entry = Entry("ruling", house.currency, bet["table_id"], bet["round_id"], user=user)
    lines = {bet["account_id"]: cents, house.escrow: -cents}
    close_stakes(db, [(bet["id"], books.post(db, entry, lines, now_ns), cause, now_ns)])


def lines_of(
    house: TableAccounts,
    staked: Sequence[StoredBet],
    lines: Sequence[Settlement],
    grown: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, int]:
    """Return the account lines of a settlement: players paid, stakes out of escrow.

    grown: what goes to the meters, by account; the house pays it.
    """
    _, win, back, _, lost = totals(lines)
    moved = {house.escrow: -(back + lost), house.bank: lost - win - sum(grown.values()), **grown}
    for bet, line in zip(staked, lines, strict=True):
        paid = line.win + line.back
        if paid:
            moved[bet.account] = moved.get(bet.account, 0) + paid
    return moved


def settle_round(turn: Turn, due_round: Round) -> None:
    """Settle a round by what its table reported. Raises LedgerRejection."""
    assert due_round.outcome is not None
    assert due_round.terms is not None
    terms = turn.state.terms[due_round.terms]
    found = Decision(due_round.outcome, due_round.is_void)
    row = {
        "id": due_round.id, "table_id": due_round.table, "settled": due_round.settled,
        "device": due_round.device, "number": due_round.number,
    }  # fmt: skip
    house = accounts_of(turn, terms.game)
    sums = _post(turn.db, row, terms, due_round.in_play(), house, found, turn.now_ns)
    due_round.settled += 1
    turn.change(due_round)
    if sums.live:
        turn.flush()
        carry(turn.db, turn.table, turn.now_ns)
        turn.reload()


def settle(db: Connection, row: RowMapping, found: Decision, now_ns: int) -> int:
    """Settle a round as users decide; returns its generation. row: of the round.

    Raises LedgerRejection.
    """
    key, table = row["id"], row["table_id"]
    terms = terms_at(db, row["terms_id"])
    house = table_accounts(db, table, now_ns, terms.game)
    sums = _post(db, row, terms, in_play(db, key), house, found, now_ns)
    done = db.execute(
        update(rounds)
        .where(rounds.c.id == key, rounds.c.settled == row["settled"])
        .values(settled=row["settled"] + 1)
    )
    assert done.rowcount == 1, "a round settled twice at once"
    if sums.live:
        carry(db, table, now_ns)
    return int(row["settled"]) + 1


def _post(
    db: Connection,
    row: Mapping[str, Any] | RowMapping,
    terms: Terms,
    staked: Sequence[StoredBet],
    house: TableAccounts,
    found: Decision,
    now_ns: int,
) -> Totals:
    """Write the next settlement of a round; returns its sums. row: of the round."""
    key, table, generation = row["id"], row["table_id"], row["settled"] + 1
    won_from: meters.Meters = {}
    if row["settled"] or not games.has_no_result(found.outcome):
        won_from = meters.of_round(db, row, terms, house.currency)
    lines, after = games.settled(
        terms, staked, found.outcome, is_void=found.is_void, meters=meters.levels(won_from)
    )
    sums = totals(lines)
    verify_balance([bet.stake for bet in staked], lines)
    kept = _posted_before(db, found.reversal) if won_from else {}
    grown = meters.posted(won_from, after, kept)
    meters.warn(db, row, won_from, after, grown, now_ns)
    user = found.users[0].user if found.users else None
    entry = Entry("settlement", house.currency, table, key, user=user, note=found.reason)
    posting = books.post(db, entry, lines_of(house, staked, lines, grown), now_ns)
    rows = [
        (bet.id, generation, key, *line.facts()) for bet, line in zip(staked, lines, strict=True)
    ]
    insert_many(db, settlements, _COLUMNS, rows)
    _sum_up(db, (key, generation, posting), found, (len(lines), sums), now_ns)
    _publish(db, row, generation, found, (len(lines), sums), now_ns)
    return sums


def _posted_before(db: Connection, reversal: int | None) -> dict[int, int]:
    """Return the lines that a reversal took back."""
    lines = {} if reversal is None else books.lines_of(db, reversal)
    return {account: -cents for account, cents in lines.items()}


def carry(db: Connection, table: int, now_ns: int) -> None:
    """Carry each stake that stayed in play into the round that follows its own, if that has begun.

    An alarm says which join none. Call it when a round begins, with whichever record, and when
    stakes stay in play.
    """
    for origin, stakes in groupby(_live(db, table), key=attrgetter("origin")):
        row = by_key(db, origin)
        assert row is not None
        following, why = _following(db, row)
        if following is not None:
            _carry(db, table, following, stakes, now_ns)
        if why:
            what = f"stakes of round {row['number']} play on, and {why}: they join no later round,"
            what += " two users end them (`stakes-end`)"
            found = Found(alarms.UNENDED, what, row["device"], table, origin)
            alarms.raise_once(db, found, now_ns)


def carry_to_end(db: Connection, table: int, key: int, now_ns: int) -> int:
    """Carry stakes that stayed in play into a round that two users end; returns their cents.

    Those that join no later round; all of them where each could join one, and none begins.
    """
    live = _live(db, table)
    rows = {origin: by_key(db, origin) for origin in {one.origin for one in live}}
    barred = {origin for origin, row in rows.items() if row is not None and _following(db, row)[1]}
    ended = [one for one in live if not barred or one.origin in barred]
    _carry(db, table, key, ended, now_ns)
    return sum(one.live_cents for one in ended)


def _live(db: Connection, table: int) -> Sequence[Row[Any]]:
    """Return the stakes that stayed in play and joined no round yet, those of a round together."""
    return db.execute(text(_LIVE), {"table": table}).all()


def _carry(db: Connection, table: int, key: int, stakes: Iterable[Row[Any]], now_ns: int) -> None:
    columns = (
        "table_id", "round_id", "account_id", "slip", "stake_cents", "state", "standing",
        "placed_ns", "carried_from", "carried_generation",
    )  # fmt: skip
    made = [
        (table, key, one.account_id, one.slip, one.live_cents, one.state, "valid", now_ns, one.id,
         one.generation)
        for one in stakes
    ]  # fmt: skip
    insert_many(db, bets, columns, made)


def _following(db: Connection, origin: RowMapping) -> tuple[int | None, str]:
    """Return the first round after another that is not settled, None if it has not begun, and why
    none follows, empty if one may.

    None does where another device plays at the table now (its first round here may be an old one),
    where a round between them is not in this ledger (it decided the stakes), and where the next is
    played by other rules.
    """
    at, device, table, number = rounds.c, origin["device"], origin["table_id"], origin["number"]
    of_table = select(at.device).where(at.table_id == table, at.id > origin["id"]).limit(1)
    other = db.execute(of_table.where(at.device != device)).scalar_one_or_none()
    if other is not None:
        return None, f"device {other} plays at the table now"
    while True:
        number += 1
        row = find(db, device, number)
        if row is None and not round_records.is_test(db, device, number):
            break
        if row is not None and row["table_id"] == table and not row["settled"]:
            why = _other_rules(db, origin, row)
            return (None if why else int(row["id"])), why
    if db.execute(of_table.where(at.number > number)).first() is not None:
        why = f"round {number} after it is not in this ledger: another host may have it, and the"
        return None, why + " other ledger says what decided them"
    return None, ""


def _other_rules(db: Connection, origin: RowMapping, row: RowMapping) -> str:
    """Return what distinguishes the rules of two rounds as text, empty if they are the same."""
    before, after = (terms_at(db, one["terms_id"])[:3] for one in (origin, row))
    if before == after:
        return ""
    names = (" ".join(filter(None, one)) for one in (before, after))
    return "the table was changed from {} to {}".format(*names)


def settled_lines(
    db: Connection, round_key: int, generation: int
) -> tuple[list[StoredBet], list[Settlement]]:
    """Return the bets of a generation and the result of each, in order of the bets."""
    rows = db.execute(_SETTLED, {"round": round_key, "generation": generation}).all()
    staked = [StoredBet(*row[:6]) for row in rows]
    return staked, [Settlement(str(row[0]), *row[6:]) for row in rows]


def _sum_up(
    db: Connection,
    name: tuple[int, int, int],
    found: Decision,
    bets_and_sums: tuple[int, Totals],
    now_ns: int,
) -> None:
    """name: round, generation, posting."""
    count, (stake, win, back, live, lost) = bets_and_sums
    first, second = found.users or (None, None)
    values = {
        "round_id": name[0], "generation": name[1], "posting_id": name[2],
        "reversal_id": found.reversal, "outcome": json.dumps(found.outcome),
        "is_void": int(found.is_void), "at_ns": now_ns, "bets": count, "stake_cents": stake,
        "win_cents": win, "back_cents": back, "live_cents": live, "lost_cents": lost,
        "first_user": first and first.user, "second_user": second and second.user,
        "reason": found.reason,
    }  # fmt: skip
    db.execute(insert(round_settlements).values(**values))


def _publish(
    db: Connection,
    row: Mapping[str, Any] | RowMapping,
    generation: int,
    found: Decision,
    bets_and_sums: tuple[int, Totals],
    now_ns: int,
) -> None:
    key, (count, sums) = row["id"], bets_and_sums
    kind = "tablewire.round.settled" if generation == 1 else "tablewire.round.corrected"
    data: dict[str, object] = {
        "round": key, "device": row["device"], "number": row["number"], "table": row["table_id"],
        "generation": generation, "outcome": found.outcome, "void": found.is_void,
        "bets": count, **{f"{name}_cents": cents for name, cents in sums._asdict().items()},
    }  # fmt: skip
    if found.users:
        data |= {"users": [user.name for user in found.users], "reason": found.reason}
    event = OutboxEvent(f"round-{key}-{generation}", kind, f"round/{key}", data, row["table_id"])
    enqueue(db, event, now_ns)
