"""From a result to money: every bet of a round settled, posted and published in one transaction.

Works in a transaction of the table. Only `rules.settlement` computes what a bet pays.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    insert,
    select,
    text,
)

from tabletools.evidence import alarms, round_records
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.rounds import PENDING, RoundRow, by_key, find
from tabletools.games import JACKPOT, POKER_ROOM
from tabletools.money import meters
from tabletools.rules.settlement import Settlement, Totals, verify_balance
from tabletools.store import books
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.rows import insert_many, insert_with_numbers
from tabletools.store.schema.books import accounts
from tabletools.store.schema.play import (
    bets,
    round_settlements,
    rounds,
    settlements,
    tables,
    withdrawals,
)
from tabletools.table import game_rounds, judging
from tabletools.table.shell import Turn
from tabletools.table.slips import StoredBet
from tabletools.table.state import VALID, OpenBet, Round, TableAccounts

_COLUMNS = (
    "bet_id",
    "generation",
    "round_id",
    "outcome",
    "stake_cents",
    "win_cents",
    "back_cents",
    "live_cents",
    "lost_cents",
    "state",
    "rule",
)
_LINES = settlements.c
_SETTLED = (
    select(
        bets.c.id,
        bets.c.account_id,
        bets.c.slip,
        bets.c.stake_cents,
        bets.c.state.label("before"),
        bets.c.carried_from.is_not(None),
        _LINES.outcome,
        _LINES.stake_cents,
        _LINES.win_cents,
        _LINES.back_cents,
        _LINES.live_cents,
        _LINES.lost_cents,
        _LINES.state,
        _LINES.rule,
    )
    .join(bets, bets.c.id == _LINES.bet_id)
    .where(_LINES.round_id == bindparam("round"), _LINES.generation == bindparam("generation"))
    .order_by(_LINES.bet_id)
)
_LIVE = """
SELECT b.id, s.generation, b.account_id, b.slip, s.live_cents, s.state, r.id AS origin
FROM settlements s JOIN rounds r ON r.id = s.round_id AND r.settled = s.generation
JOIN bets b ON b.id = s.bet_id
WHERE s.live_cents > 0 AND r.table_id = :table AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = b.id AND c.carried_generation = s.generation
) ORDER BY r.id, b.id
"""


class Decision(NamedTuple):
    """The outcome of a round, and who decided it if no table did."""

    outcome: Mapping[str, object]
    """As `settle` reads it."""
    is_void: bool
    users: tuple[Actor, Actor] | None = None
    reason: str | None = None
    evidence: str | None = None
    """Who saw the result and what shows it."""
    follows: int | None = None
    """The corrected round whose stakes play on in this one, which keeps its outcome."""
    reversal: int | None = None
    """Posting that reversed the settlement before."""


class Computed(NamedTuple):
    """What a settlement comes to."""

    house: TableAccounts
    staked: list[StoredBet]
    lines: list[Settlement]
    """The result of each bet of `staked`, in order."""
    sums: Totals
    """Of the lines."""
    won_from: meters.Meters
    """{} for games without."""
    after: Mapping[str, int]
    """What the meters show after it, by name."""


def accounts_of(turn: Turn, game: str = "") -> TableAccounts:
    """Return the accounts of a table, created if missing. game: of what is settled."""
    known, currency = turn.state.accounts, turn.shared.currency
    name = currency, books.RAKE if game == POKER_ROOM else books.HOUSE
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
    if game == POKER_ROOM:
        name = f"table {table}"
        bank = books.account(db, books.RAKE, name, currency, now_ns=now_ns, table=table)
    return TableAccounts(escrow, bank, currency)


def staked_cents(db: Connection, table: int) -> int:
    """Return the open stakes of a table, cents."""
    query = select(accounts.c.balance_cents).where(
        accounts.c.table_id == table, accounts.c.kind == books.ESCROW
    )
    return int(db.execute(query).scalar_one_or_none() or 0)


def settle_due(turn: Turn, device: int) -> None:
    """Settle the valid rounds of a device that wait; nothing while it is stopped."""
    if turn.shared.stopped is not None:
        return
    while (each := turn.state.next_due(device)) is not None:
        try:
            assert each.outcome is not None
            settle(turn, each, Decision(each.outcome, each.is_void))
        except LedgerRejection as refused:
            text = f"round {each.number} cannot be settled: {refused.what}"
            turn.stop(AlarmCause(alarms.UNSETTLED, text, device, each.table, each.id))
            return
        turn.store.at("settled")
        if any(other.verdict == PENDING for other in turn.state.rounds.values()):
            # A void that waited for the stakes of this one can be judged now.
            judging.raise_alarms(turn, device, judging.judge(turn, device))


def close_stakes(db: Connection, rows: Sequence[tuple[int, int, str, int]]) -> None:
    """Close stakes. rows: bet, posting that moved its stake, cause, time."""
    insert_many(db, withdrawals, ("bet_id", "posting_id", "cause", "at_ns"), rows)


def refund(turn: Turn, played: Round, bet: StoredBet, cause: str, user: int | None = None) -> None:
    """Return a stake to its player by a ruling. user: the one named first."""
    house = accounts_of(turn)
    entry = Entry("ruling", house.currency, turn.table, played.id, user=user)
    posting = books.post(
        turn.db, entry, {bet.account: bet.stake, house.escrow: -bet.stake}, turn.now_ns
    )
    close_stakes(turn.db, [(bet.id, posting, cause, turn.now_ns)])
    del played.bets[bet.id]


def lines_of(
    house: TableAccounts,
    staked: Sequence[StoredBet],
    lines: Sequence[Settlement],
    sums: Totals,
    grown: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, int]:
    """Return the account lines of a settlement: players paid, stakes out of escrow.

    sums: of the lines. grown: what goes to the meters, by account; the house pays it.
    """
    _, win, back, _, lost = sums
    moved = {house.escrow: -(back + lost), house.bank: lost - win - sum(grown.values()), **grown}
    for bet, line in zip(staked, lines, strict=True):
        paid = line.win + line.back
        if paid:
            moved[bet.account] = moved.get(bet.account, 0) + paid
    return moved


def compute(turn: Turn, played: Round, decision: Decision) -> Computed:
    """Compute the next settlement of a round; posts nothing. Raises LedgerRejection."""
    assert played.terms is not None
    terms = turn.terms_at(played.terms)
    house = accounts_of(turn, terms.game)
    staked = played.in_play()
    won_from: meters.Meters = {}
    levels: Mapping[str, int] = {}
    is_jackpot = terms.game == JACKPOT
    if is_jackpot and (played.settled or not game_rounds.has_no_result(decision.outcome)):
        again = played.id if played.settled else None
        won_from = meters.of_round(turn.db, turn.table, terms, house.currency, again)
        levels = meters.levels(won_from)
    lines, after, _ = game_rounds.settled(
        terms,
        staked,
        decision.outcome,
        is_void=decision.is_void,
        meters=levels,
        by_slip=turn.state.slip_games.get(played.terms),
    )
    sums = verify_balance([bet.stake for bet in staked], lines)
    return Computed(house, staked, lines, sums, won_from, after)


class Posted(NamedTuple):
    """A settlement that was posted, with the results of its bets stored."""

    posting: int
    staked: list[StoredBet]
    lines: list[Settlement]
    sums: Totals


def settle(turn: Turn, played: Round, decision: Decision) -> int:
    """Settle a round of this table; returns its generation. Raises LedgerRejection."""
    posted = post(turn, played, decision)
    record(turn, played, decision, posted)
    if posted.sums.live:
        carry(turn)
    return played.settled


def post(turn: Turn, played: Round, decision: Decision) -> Posted:
    """Post the next settlement of a round and store the result of each bet; `record` follows.

    Raises LedgerRejection.
    """
    db, key, now_ns = turn.db, played.id, turn.now_ns
    computed = compute(turn, played, decision)
    house, staked, lines, sums = computed[:4]
    grown = _growth(turn, played, decision, computed) if computed.won_from else {}
    played.settled += 1
    turn.change(played)
    turn.end_alarms(alarms.SETTLED, round_key=key)
    user = decision.users[0].user if decision.users else None
    entry = Entry("settlement", house.currency, turn.table, key, user=user, note=decision.reason)
    posting = books.post(db, entry, lines_of(house, staked, lines, sums, grown), now_ns)
    rows = [
        (bet.id, played.settled, key, *line.facts())
        for bet, line in zip(staked, lines, strict=True)
    ]
    insert_many(db, settlements, _COLUMNS, rows)
    return Posted(posting, staked, lines, sums)


def record(turn: Turn, played: Round, decision: Decision, posted: Posted) -> None:
    """Store the sums of a settlement with who decided it, and publish it."""
    superseded = outcome_of(turn.db, played.id, played.settled - 1) if decision.reversal else None
    cents = {f"{name}_cents": amount for name, amount in posted.sums._asdict().items()}
    figures = {"bets": len(posted.lines), **cents}
    _sum_up(turn, played, decision, posted.posting, figures)
    _publish(turn, played, decision, superseded, figures)


def outcome_of(db: Connection, round_key: int, generation: int) -> dict[str, Any]:
    """Return the outcome by which a generation of a round was settled."""
    col = round_settlements.c
    query = select(col.outcome).where(col.round_id == round_key, col.generation == generation)
    outcome: dict[str, Any] = json.loads(db.execute(query).scalar_one())
    return outcome


def _growth(turn: Turn, played: Round, decision: Decision, computed: Computed) -> dict[int, int]:
    """Return what a settlement posts to meters, cents by account; an alarm for each that stays."""
    won_from, after = computed.won_from, computed.after
    grown = meters.growth(won_from, after, _posted_before(turn.db, decision.reversal))
    for warning in meters.warnings(won_from, after, grown, played.number):
        alarm = AlarmCause(alarms.METER_MOVED, warning, played.device, played.table, played.id)
        alarms.raise_alarm(turn.db, alarm, turn.now_ns)
    return grown


def _posted_before(db: Connection, reversal: int | None) -> dict[int, int]:
    """Return the lines that a reversal took back."""
    lines = {} if reversal is None else books.lines_of(db, reversal)
    return {account: -cents for account, cents in lines.items()}


def carry(turn: Turn) -> None:
    """Carry each stake that stayed in play into the round that follows its own, if that has begun.

    An alarm says which join none. Call it when a round begins, with whichever record, and when
    stakes stay in play.
    """
    turn.state.has_live_stakes = False
    for origin, stakes in groupby(_live(turn), key=attrgetter("origin")):
        before = by_key(turn.db, origin)
        assert before is not None
        if _join(turn, before, stakes, _following(turn, before)) is None:
            turn.state.has_live_stakes = True


def carry_through(turn: Turn, origin: int) -> Round | None:
    """Carry the stakes that a ruling left in play into the round in which they play on.

    That is the one they joined by an earlier generation, else the one played next, also if it is
    settled. Returns it, None where nothing stays in play or it has not begun.
    """
    stakes = [one for one in _live(turn) if one.origin == origin]
    before = by_key(turn.db, origin)
    assert before is not None
    if not stakes:
        return None
    joined = _joined_before(turn.db, origin)
    to = (joined, "") if joined is not None else _following(turn, before, is_ruled=True)
    return _join(turn, before, stakes, to)


def _joined_before(db: Connection, origin: int) -> int | None:
    """Return the round that stakes of another played on in, None if they never did."""
    first = bets.alias("first")
    query = (
        select(bets.c.round_id)
        .join(first, first.c.id == bets.c.carried_from)
        .where(first.c.round_id == origin)
        .order_by(bets.c.id.desc())
        .limit(1)
    )
    key: int | None = db.execute(query).scalar_one_or_none()
    return key


def _join(
    turn: Turn, before: RoundRow, stakes: Iterable[Row[Any]], following: tuple[int | None, str]
) -> Round | None:
    """Carry stakes of a round into another; returns it. following: see `_following`."""
    key, why = following
    if why:
        what = f"stakes of round {before.number} play on, and {why}: they join no later round,"
        what += " two users end them (`stakes-end`)"
        alarm = AlarmCause(alarms.UNENDED, what, before.device, turn.table, before.id)
        alarms.raise_once(turn.db, alarm, turn.now_ns)
    if key is None:
        return None
    later = judging.by_key(turn, key)
    _carry(turn, later, stakes)
    return later


def carry_to_end(turn: Turn, last: Round) -> int:
    """Carry stakes that stayed in play into a round that two users end; returns their cents.

    Those that join no later round; all of them where each could join one, and none begins.
    """
    live = _live(turn)
    origins = (by_key(turn.db, key) for key in {one.origin for one in live})
    barred = {one.id for one in origins if one is not None and _following(turn, one)[1]}
    ended = [one for one in live if not barred or one.origin in barred]
    _carry(turn, last, ended)
    turn.state.has_live_stakes = len(ended) < len(live)
    return sum(one.live_cents for one in ended)


def _live(turn: Turn) -> Sequence[Row[Any]]:
    """Return the stakes that stayed in play and joined no round yet, those of a round together."""
    turn.flush()
    return turn.db.execute(text(_LIVE), {"table": turn.table}).all()


def _carry(turn: Turn, later: Round, stakes: Iterable[Row[Any]]) -> None:
    columns = (
        "table_id",
        "round_id",
        "account_id",
        "slip",
        "stake_cents",
        "state",
        "standing",
        "placed_ns",
        "carried_from",
        "carried_generation",
    )
    carried = list(stakes)
    rows = [
        (
            turn.table,
            later.id,
            one.account_id,
            one.slip,
            one.live_cents,
            one.state,
            VALID,
            turn.now_ns,
            one.id,
            one.generation,
        )
        for one in carried
    ]
    for number, one in zip(
        insert_with_numbers(turn.db, bets, columns, rows), carried, strict=True
    ):
        staked = StoredBet(
            number, one.account_id, one.slip, one.live_cents, one.state, is_carried=True
        )
        later.bets[number] = OpenBet(staked, is_own=False, standing=VALID)
    turn.state.rounds[later.id] = later
    turn.renew_stakes_of(later)


def _following(turn: Turn, origin: RoundRow, *, is_ruled: bool = False) -> tuple[int | None, str]:
    """Return the first round after another that is not settled, None if it has not begun, and why
    none follows, empty if one may.

    is_ruled: two users ruled on the other: the round played next decides its stakes, also if it is
    settled. None follows where another device plays at the table now (its first round here may be
    an old one), where a round between them is not in this ledger (it decided the stakes), and
    where the next is played by other rules.
    """
    db, col, number = turn.db, rounds.c, origin.number
    of_table = select(col.device).where(col.table_id == turn.table, col.id > origin.id).limit(1)
    others = of_table.where(col.device != origin.device)
    if is_ruled:
        played_next = find(db, origin.device, number + 1)
        others = others.where(col.id < played_next.id) if played_next else others
    other = db.execute(others).scalar_one_or_none()
    if other is not None:
        return None, f"device {other} plays at the table now"
    while True:
        number += 1
        later = find(db, origin.device, number)
        if later is None and not round_records.is_test(db, origin.device, number):
            break
        if later is not None and later.table == turn.table and (is_ruled or not later.settled):
            why = _other_rules(turn, origin.terms, later.terms)
            return (None if why else later.id), why
    if db.execute(of_table.where(col.number > number)).first() is not None:
        why = f"round {number} after it is not in this ledger: another host may have it, and the"
        return None, why + " other ledger says what decided them"
    return None, ""


def _other_rules(turn: Turn, before: int | None, after: int | None) -> str:
    """Return what distinguishes the rules of two rounds as text, empty if they are the same.

    before, after: rows of their terms.
    """
    assert before is not None
    assert after is not None
    rules = [turn.terms_at(number)[:3] for number in (before, after)]
    if rules[0] == rules[1]:
        return ""
    names = (" ".join(filter(None, one)) for one in rules)
    return "the table was changed from {} to {}".format(*names)


def settled_lines(
    db: Connection, round_key: int, generation: int
) -> tuple[list[StoredBet], list[Settlement]]:
    """Return the bets of a generation and the result of each, in order of the bets."""
    rows = db.execute(_SETTLED, {"round": round_key, "generation": generation}).all()
    staked = [StoredBet(*row[:6]) for row in rows]
    return staked, [Settlement(str(row[0]), *row[6:]) for row in rows]


def _sum_up(
    turn: Turn, played: Round, decision: Decision, posting: int, figures: Mapping[str, int]
) -> None:
    """Write the sums of a settlement. figures: number of bets and cents, by column."""
    first, second = decision.users or (None, None)
    values = {
        "round_id": played.id,
        "generation": played.settled,
        "posting_id": posting,
        "reversal_id": decision.reversal,
        "outcome": json.dumps(decision.outcome),
        "is_void": int(decision.is_void),
        "at_ns": turn.now_ns,
        **figures,
        "first_user": first and first.user,
        "second_user": second and second.user,
        "reason": decision.reason,
        "evidence": decision.evidence,
        "follows": decision.follows,
    }
    turn.db.execute(insert(round_settlements).values(**values))


def _publish(
    turn: Turn,
    played: Round,
    decision: Decision,
    superseded: Mapping[str, object] | None,
    figures: Mapping[str, int],
) -> None:
    """Publish a settlement. superseded: the outcome that was in force before a correction."""
    key, generation = played.id, played.settled
    kind = "tablewire.round.settled" if generation == 1 else "tablewire.round.corrected"
    data: dict[str, object] = {
        "round": key,
        "device": played.device,
        "number": played.number,
        "table": turn.table,
        "generation": generation,
        "outcome": decision.outcome,
        "void": decision.is_void,
        **figures,
    }
    if decision.users:
        data |= {"users": [user.name for user in decision.users], "reason": decision.reason}
        if decision.evidence:
            data["evidence"] = decision.evidence
    if decision.follows is not None:
        data["follows"] = decision.follows
    if superseded is not None:
        data["superseded"] = superseded
    event = OutboxEvent(f"round-{key}-{generation}", kind, f"round/{key}", data, turn.table)
    enqueue(turn.db, event, turn.now_ns)
