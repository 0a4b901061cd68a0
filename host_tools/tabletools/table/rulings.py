"""Decisions of two named users: late bets, rounds without a result, corrections.

A correction reverses the lines of a settlement with new ones and settles the round again;
nothing is ever changed in place. A round whose stakes stayed in play for a later, settled round
can be corrected only after that one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, exists, insert, select

from tabletools.evidence import alarms, rounds
from tabletools.evidence import tables as casino
from tabletools.money import books, games, meters
from tabletools.money.books import Entry
from tabletools.money.games import StoredBet
from tabletools.money.referring import is_referred
from tabletools.settle import Settlement
from tabletools.store import audit, people, requests
from tabletools.store.audit import Actor
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema import play
from tabletools.store.schema.books import accounts
from tabletools.store.schema.play import bets, round_settlements
from tabletools.table import hand_rulings, settling
from tabletools.table.settling import Decision

Users = tuple[Actor, Actor]


class Ruling(NamedTuple):
    """What two users decide about a round.

    outcome: as `settle` reads it, such as {"pocket": "17"} or {"void": "reason"}; or
    {"stakes_back": "reason"}; or the record of a card round, see `hand_rulings`. settled: the
    generation they saw, 0 before the first. key: of the request. evidence: who saw the result and
    what shows it. preview: digest of the preview they agreed to; card rounds need one.
    """

    outcome: Mapping[str, object]
    users: Sequence[int]
    reason: str
    settled: int
    key: str
    evidence: str = ""
    preview: str = ""


class Balance(NamedTuple):
    """The balance of a player with a bet in the round, before and after a ruling."""

    account: int
    name: str
    before_cents: int
    after_cents: int


class Preview(NamedTuple):
    """What a ruling would do. generation: the one it would create; digest: of the bets and lines.

    differences: between the cards of a record and those the shoe read.
    """

    generation: int
    staked: list[StoredBet]
    lines: list[Settlement]
    digest: str
    balances: list[Balance]
    differences: list[str]


def preview_round(
    ledger: Store, round_key: int, outcome: Mapping[str, object], user: Actor
) -> Preview:
    """Return what a ruling would do; nothing is changed. Raises LedgerRejection, StoreError."""
    now_ns = ledger.clock.wall_ns()

    def look(db: Connection) -> Preview:
        undone = db.begin_nested()
        try:
            row = rounds.by_key(db, round_key)
            if row is None or row["table_id"] is None:
                raise _no_round(round_key)
            before = _players(db, round_key)
            if row["settled"]:
                _reverse(db, row, user, now_ns)
            read = hand_rulings.read(db, row, outcome, (user, now_ns))
            staked = settling.in_play(db, round_key)
            terms = casino.terms_at(db, row["terms_id"])
            house = settling.table_accounts(db, row["table_id"], now_ns, terms.game)
            won_from = meters.levels(meters.of_round(db, row, terms, house.currency))
            lines = games.settled(
                terms, staked, read, is_void=games.is_void(read), meters=won_from
            ).lines
            paid = settling.lines_of(house, staked, lines)
            after = {
                account: (name, cents + paid.get(account, 0))
                for account, (name, cents) in _players(db, round_key).items()
            }
        finally:
            undone.rollback()
        generation = row["settled"] + 1
        digest = _digest(generation, staked, lines)
        differences = hand_rulings.differences(db, row, outcome)
        return Preview(generation, staked, lines, digest, _changed(before, after), differences)

    return ledger.run(look)


def rule_round(ledger: Store, lease: Lease, round_key: int, ruling: Ruling) -> int:
    """Settle a round without a result, or correct one; returns the generation in force.

    The same request again gets the same answer and changes nothing. Raises LedgerRejection, also
    if the round was settled since the users saw it, LostLease, StoreError.
    """
    requests.verify_key(ruling.key)
    digest = requests.digest_of({**ruling._asdict(), "key": None})
    scope, now_ns = f"ruling {round_key}", ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        decided = people.two_deciding(db, ruling.users, ruling.reason)
        answer = requests.answered(db, scope, ruling.key, digest)
        if answer is not None:
            return int(answer)
        row = _round_of(db, lease.table, round_key)
        _verify_seen(row, ruling.settled)
        _verify_shown(db, row, ruling)
        if row["ended"] is None and casino.state_of(db, lease.table).round == round_key:
            casino.close_bets(db, lease.table, "ruled", now_ns)
        generation = _settle_again(db, row, (ruling.outcome, decided, ruling.reason), now_ns)
        found = settling.settled_lines(db, round_key, generation)
        if ruling.preview and _digest(generation, *found) != ruling.preview:
            what = "the ruling has another effect than its preview"
            raise LedgerRejection("preview_changed", what, "look at the preview again", "preview")
        details = {"outcome": dict(ruling.outcome), "generation": generation}
        details |= {"reason": ruling.reason, "evidence": ruling.evidence}
        if differences := hand_rulings.differences(db, row, ruling.outcome):
            details["differences"] = differences
        audit.note_both(db, decided, "round_ruled", f"round {round_key}", now_ns, **details)
        requests.keep(db, scope, [(ruling.key, digest, generation)], now_ns)
        return generation

    return ledger.run(write, lease)


def decline(
    ledger: Store,
    round_key: int,
    outcome: Mapping[str, object],
    users: Sequence[int],
    reason: str,
) -> None:
    """Record that the second of two users did not agree to a ruling; nothing else is changed.

    Raises LedgerRejection, also for what could not have been ruled, StoreError.
    """
    now_ns = ledger.clock.wall_ns()
    with ledger.read() as db:
        first, _ = people.two_deciding(db, users, reason)
    preview_round(ledger, round_key, outcome, first)

    def write(db: Connection) -> None:
        decided = people.two_deciding(db, users, reason)
        details = {"outcome": dict(outcome), "reason": reason}
        audit.note_both(db, decided, "ruling_declined", f"round {round_key}", now_ns, **details)

    ledger.run(write)


def _verify_seen(row: RowMapping, settled: int) -> None:
    """Raise LedgerRejection if a round was settled since the users saw it."""
    if row["settled"] != settled:
        what = f"round {row['id']} is at generation {row['settled']}, the ruling saw {settled}"
        raise LedgerRejection("generation_changed", what, "look at the round again", "settled")


def _verify_shown(db: Connection, row: RowMapping, ruling: Ruling) -> None:
    """Raise LedgerRejection unless evidence shows the result, and hands were previewed.

    A void needs evidence too: a missing no-more-bets report does not mean that bets are open at
    the table, and this code does not query the table.
    """
    if not ruling.evidence.strip():
        what = "a result or a void that two users decide needs its evidence"
        step = "say who saw it and which recording shows it"
        raise LedgerRejection("evidence_needed", what, step, "evidence")
    if not games.is_by_hands(ruling.outcome):
        return
    if not ruling.preview:
        what, step = (
            "look at the preview of the settlement before ruling on hands",
            "get the preview first",
        )
        raise LedgerRejection("preview_needed", what, step, "preview")
    at = bets.c
    is_ruled = exists().where(play.rulings.c.bet_id == at.id)
    late = select(at.id).where(at.round_id == row["id"], is_referred(), ~is_ruled)
    number = db.execute(late.limit(1)).scalar_one_or_none()
    if number is not None:
        what = f"bet {number} of the round came late, and has no ruling"
        raise LedgerRejection("late_bet_open", what, "rule on the late bets first", "outcome")


def _digest(generation: int, staked: Sequence[StoredBet], lines: Sequence[Settlement]) -> str:
    shown = [
        [bet.account, bet.slip, *line.facts()] for bet, line in zip(staked, lines, strict=True)
    ]
    text = json.dumps([generation, shown], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _players(db: Connection, round_key: int) -> dict[int, tuple[str, int]]:
    """Return name and balance of each player with a bet in a round, locked, by account."""
    at = accounts.c
    with_bets = select(bets.c.account_id).where(bets.c.round_id == round_key)
    query = select(at.id, at.name, at.balance_cents).where(at.id.in_(with_bets))
    rows = db.execute(query.order_by(at.id).with_for_update())
    return {int(row.id): (row.name, int(row.balance_cents)) for row in rows}


def _changed(
    before: Mapping[int, tuple[str, int]], after: Mapping[int, tuple[str, int]]
) -> list[Balance]:
    return [Balance(account, name, before[account][1], cents)
            for account, (name, cents) in after.items()]  # fmt: skip


def _warn_below_zero(
    db: Connection, row: RowMapping, balances: Sequence[Balance], now_ns: int
) -> None:
    """Raise an alarm for each player whose balance a ruling takes below 0, or further below."""
    for one in balances:
        if one.after_cents < min(0, one.before_cents):
            text = f"a ruling leaves account {one.account} ({one.name}) at {one.after_cents} cents"
            found = alarms.Found(
                alarms.BELOW_ZERO, text, row["device"], row["table_id"], row["id"]
            )
            alarms.raise_alarm(db, found, now_ns)


def _no_round(key: int) -> LedgerRejection:
    what = f"no table of this house played round {key}"
    return LedgerRejection("no_such_round", what, "see the rounds of the table", "round")


class BetRuling(NamedTuple):
    """What two users decide about a bet that came late. key: of the request."""

    bet: int
    is_valid: bool
    users: Sequence[int]
    reason: str
    key: str


def rule_bet(ledger: Store, lease: Lease, ruling: BetRuling) -> None:
    """Rule whether a late bet counts: its stake is refunded, or it is settled like the others.

    The same request again changes nothing. Raises LedgerRejection, LostLease, StoreError.
    """
    bet, is_valid, users, reason, key = ruling
    requests.verify_key(key)
    digest = requests.digest_of({**ruling._asdict(), "key": None})
    scope, now_ns = f"bet ruling {bet}", ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        first, second = people.two_deciding(db, users, reason)
        if requests.answered(db, scope, key, digest) is not None:
            return
        found = _referred(db, lease.table, bet)
        values = {
            "bet_id": bet, "is_valid": int(is_valid), "first_user": first.user,
            "second_user": second.user, "reason": reason, "at_ns": now_ns,
        }  # fmt: skip
        db.execute(insert(play.rulings).values(**values))
        if not is_valid:
            settling.refund(db, found, "ruled_invalid", now_ns)
        else:
            row = _round_of(db, lease.table, found["round_id"])
            if row["settled"]:
                outcome = _outcome_of(db, row)
                if games.is_by_hands(outcome):
                    what = f"round {row['id']} was ruled on hand by hand, without this bet"
                    raise LedgerRejection("hands_settled", what, "rule it invalid", "valid")
                _settle_again(db, row, (outcome, (first, second), reason), now_ns)
        details = {"valid": is_valid, "reason": reason}
        audit.note_both(db, (first, second), "bet_ruled", f"bet {bet}", now_ns, **details)
        requests.keep(db, scope, [(key, digest, is_valid)], now_ns)

    ledger.run(write, lease)


def _round_of(db: Connection, table: int, key: int) -> RowMapping:
    row = rounds.by_key(db, key)
    if row is None or row["table_id"] != table:
        what = f"round {key} is not a round of table {table}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return row


def _settle_again(
    db: Connection,
    row: RowMapping,
    said: tuple[Mapping[str, object], Users, str],
    now_ns: int,
) -> int:
    """said: outcome, users, reason."""
    outcome, users, reason = said
    before = _players(db, row["id"])
    reversal = _reverse(db, row, users[0], now_ns) if row["settled"] else None
    read = hand_rulings.read(db, row, outcome, (users[0], now_ns))
    found = Decision(read, games.is_void(read), users, reason, reversal)
    generation = settling.settle(db, row, found, now_ns)
    _warn_below_zero(db, row, _changed(before, _players(db, row["id"])), now_ns)
    return generation


def _reverse(db: Connection, row: RowMapping, user: Actor, now_ns: int) -> int:
    """Reverse the lines of the settlement in force; returns the posting."""
    key, generation = row["id"], row["settled"]
    at = round_settlements.c
    posting = db.execute(
        select(at.posting_id).where(at.round_id == key, at.generation == generation)
    ).scalar_one()
    lines = {at: -cents for at, cents in books.lines_of(db, posting).items()}
    currency = settling.table_accounts(db, row["table_id"], now_ns).currency
    meters.lock(db, row["table_id"], casino.terms_at(db, row["terms_id"]), currency)
    entry = Entry("reversal", currency, row["table_id"], key, reverses=posting, user=user.user)
    made = books.post(db, entry, lines, now_ns)
    _call_back(db, key, generation, (made, now_ns))
    return made


def _call_back(db: Connection, key: int, generation: int, by: tuple[int, int]) -> None:
    """Recall stakes from the rounds they stayed in play for. by: posting, time."""
    at = bets.c
    origin = bets.alias("origin")
    query = (
        select(at.id, at.round_id, play.rounds.c.settled)
        .join(origin, origin.c.id == at.carried_from)
        .join(play.rounds, play.rounds.c.id == at.round_id)
        .where(origin.c.round_id == key, at.carried_generation == generation)
    )
    carried = db.execute(query).all()
    for row in carried:
        if row.settled:
            what = (
                f"a stake of round {key} stayed in play in round {row.round_id}, which is settled"
            )
            raise LedgerRejection("stakes_played_on", what, "pay the difference by hand", "round")
    settling.close_stakes(db, [(row.id, by[0], "corrected", by[1]) for row in carried])


def _referred(db: Connection, table: int, bet: int) -> RowMapping:
    query = select(bets).where(bets.c.id == bet, is_referred())
    row = db.execute(query).mappings().one_or_none()
    if row is None or row["table_id"] != table:
        what = f"bet {bet} of table {table} did not come late"
        raise LedgerRejection("no_such_bet", what, "see the report of late bets", "bet")
    ruled = select(play.rulings.c.bet_id).where(play.rulings.c.bet_id == bet)
    if db.execute(ruled).first() is not None:
        raise LedgerRejection(
            "bet_ruled", f"bet {bet} was ruled on", "there is already a ruling", "bet"
        )
    return row


def _outcome_of(db: Connection, row: RowMapping) -> Mapping[str, object]:
    at = round_settlements.c
    query = select(at.outcome).where(at.round_id == row["id"], at.generation == row["settled"])
    found: Mapping[str, object] = json.loads(db.execute(query).scalar_one())
    return found
