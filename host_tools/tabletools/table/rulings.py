"""Decisions of two named users: late bets, rounds without a result, corrections.

A correction reverses the lines of a settlement with new ones and settles the round again;
nothing is ever changed in place. A round whose stakes stayed in play for a later, settled round
can be corrected only after that one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from tabletools import authority
from tabletools.evidence import alarms, rounds
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
from tabletools.table import hand_rulings, judging, settling, shell
from tabletools.table.settling import Decision
from tabletools.table.shell import Turn
from tabletools.table.state import Round

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

    def look(db: Connection) -> Preview:
        undone = db.begin_nested()
        try:
            return _preview(*_turn_of(ledger, db, round_key), outcome, user)
        finally:
            undone.rollback()

    return ledger.run(look)


def _turn_of(ledger: Store, db: Connection, round_key: int) -> tuple[Turn, Round]:
    """Return a round of any table, with a transaction that is thrown away."""
    row = rounds.by_key(db, round_key)
    turn = None if row is None or row.table is None else shell.without_lease(ledger, db, row.table)
    if turn is None:
        what = f"no table of this house played round {round_key}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return turn, judging.by_key(turn, round_key)


def _preview(turn: Turn, ruled: Round, outcome: Mapping[str, object], user: Actor) -> Preview:
    generation = ruled.settled + 1
    before = _players(turn.db, ruled.id)
    if ruled.settled:
        _reverse(turn, ruled, user)
    read = hand_rulings.read(turn, ruled, outcome, user)
    computed = settling.compute(turn, ruled, Decision(read, games.is_void(read)))
    house, staked, lines = computed[:3]
    paid = settling.lines_of(house, staked, lines)
    after = {
        account: (name, cents + paid.get(account, 0))
        for account, (name, cents) in _players(turn.db, ruled.id).items()
    }
    differences = hand_rulings.differences(turn.db, ruled, outcome)
    balances = _balances(before, after)
    digest = _digest(generation, staked, lines)
    return Preview(generation, staked, lines, digest, balances, differences)


def rule_round(ledger: Store, lease: Lease, round_key: int, ruling: Ruling) -> int:
    """Settle a round without a result, or correct one; returns the generation in force.

    The same request again gets the same answer and changes nothing. Raises LedgerRejection, also
    if the round was settled since the users saw it, LostLease, StoreError.
    """
    requests.verify_key(ruling.key)
    digest = requests.digest_of({**ruling._asdict(), "key": None})
    scope = f"ruling {round_key}"

    def write(turn: Turn) -> int:
        db = turn.db
        users = people.two_deciding(db, ruling.users, ruling.reason, authority.RULING)
        answer = requests.answered(db, scope, ruling.key, digest)
        if answer is not None:
            return int(answer)
        ruled = _round_of(turn, round_key)
        _verify_seen(ruled, ruling.settled)
        _verify_shown(ruled, ruling)
        if ruled.ended is None and turn.state.round_id == round_key:
            turn.close_bets("ruled")
        generation = _settle_again(turn, ruled, ruling.outcome, users, ruling.reason)
        lines = settling.settled_lines(db, round_key, generation)
        if ruling.preview and _digest(generation, *lines) != ruling.preview:
            what = "the ruling has another effect than its preview"
            raise LedgerRejection("preview_changed", what, "look at the preview again", "preview")
        details = {"outcome": dict(ruling.outcome), "generation": generation}
        details |= {"reason": ruling.reason, "evidence": ruling.evidence}
        if differences := hand_rulings.differences(db, ruled, ruling.outcome):
            details["differences"] = differences
        subject = f"round {round_key}"
        audit.note_both(db, users, "round_ruled", subject, turn.now_ns, **details)
        requests.keep(db, scope, [(ruling.key, digest, generation)], turn.now_ns)
        return generation

    return shell.run(ledger, lease, write)


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
        first, _ = people.two_deciding(db, users, reason, authority.RULING)
    preview_round(ledger, round_key, outcome, first)

    def write(db: Connection) -> None:
        decided = people.two_deciding(db, users, reason, authority.RULING)
        details = {"outcome": dict(outcome), "reason": reason}
        audit.note_both(db, decided, "ruling_declined", f"round {round_key}", now_ns, **details)

    ledger.run(write)


def _verify_seen(ruled: Round, settled: int) -> None:
    """Raise LedgerRejection if a round was settled since the users saw it."""
    if ruled.settled != settled:
        what = f"round {ruled.id} is at generation {ruled.settled}, the ruling saw {settled}"
        raise LedgerRejection("generation_changed", what, "look at the round again", "settled")


def _verify_shown(ruled: Round, ruling: Ruling) -> None:
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
        what = "look at the preview of the settlement before ruling on hands"
        raise LedgerRejection("preview_needed", what, "get the preview first", "preview")
    late = [number for number, bet in ruled.bets.items() if not bet.counts]
    if late:
        what = f"bet {min(late)} of the round came late, and has no ruling"
        raise LedgerRejection("late_bet_open", what, "rule on the late bets first", "outcome")


def _digest(generation: int, staked: Sequence[StoredBet], lines: Sequence[Settlement]) -> str:
    facts = [
        [bet.account, bet.slip, *line.facts()] for bet, line in zip(staked, lines, strict=True)
    ]
    text = json.dumps([generation, facts], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _players(db: Connection, round_key: int) -> dict[int, tuple[str, int]]:
    """Return name and balance of each player with a bet in a round, locked, by account."""
    col = accounts.c
    with_bets = select(bets.c.account_id).where(bets.c.round_id == round_key)
    query = select(col.id, col.name, col.balance_cents).where(col.id.in_(with_bets))
    rows = db.execute(query.order_by(col.id).with_for_update())
    return {int(row.id): (row.name, int(row.balance_cents)) for row in rows}


def _balances(
    before: Mapping[int, tuple[str, int]], after: Mapping[int, tuple[str, int]]
) -> list[Balance]:
    return [
        Balance(account, name, before[account][1], cents)
        for account, (name, cents) in after.items()
    ]


def _warn_below_zero(turn: Turn, ruled: Round, balances: Sequence[Balance]) -> None:
    """Raise an alarm for each player whose balance a ruling takes below 0, or further below."""
    for one in balances:
        if one.after_cents < min(0, one.before_cents):
            text = f"a ruling leaves account {one.account} ({one.name}) at {one.after_cents} cents"
            alarm = alarms.Found(alarms.BELOW_ZERO, text, ruled.device, ruled.table, ruled.id)
            alarms.raise_alarm(turn.db, alarm, turn.now_ns)


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
    number, is_valid, users, reason, key = ruling
    requests.verify_key(key)
    digest = requests.digest_of({**ruling._asdict(), "key": None})
    scope = f"bet ruling {number}"

    def write(turn: Turn) -> None:
        db, now_ns = turn.db, turn.now_ns
        first, second = people.two_deciding(db, users, reason, authority.BET_RULING)
        if requests.answered(db, scope, key, digest) is not None:
            return
        played = _round_of(turn, _round_of_late(turn, number))
        values = {
            "bet_id": number,
            "is_valid": int(is_valid),
            "first_user": first.user,
            "second_user": second.user,
            "reason": reason,
            "at_ns": now_ns,
        }
        db.execute(insert(play.rulings).values(**values))
        late = played.bets[number]
        if is_valid:
            played.bets[number] = late._replace(is_ruled_valid=True)
            if played.settled:
                _settle_with_late(turn, played, (first, second), reason)
        else:
            settling.refund(turn, played, late.staked, "ruled_invalid")
            turn.renew_stakes_of(played)
        details = {"valid": is_valid, "reason": reason}
        audit.note_both(db, (first, second), "bet_ruled", f"bet {number}", now_ns, **details)
        requests.keep(db, scope, [(key, digest, is_valid)], now_ns)

    shell.run(ledger, lease, write)


def _settle_with_late(turn: Turn, played: Round, users: Users, reason: str) -> None:
    """Settle a round again, with a late bet that counts now."""
    outcome = _outcome_of(turn.db, played)
    if games.is_by_hands(outcome):
        what = f"round {played.id} was ruled on hand by hand, without this bet"
        raise LedgerRejection("hands_settled", what, "rule it invalid", "valid")
    _settle_again(turn, played, outcome, users, reason)


def _round_of(turn: Turn, key: int) -> Round:
    ruled = judging.find_by_key(turn, key)
    if ruled is None or ruled.table != turn.table:
        what = f"round {key} is not a round of table {turn.table}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return ruled


def _settle_again(
    turn: Turn, ruled: Round, outcome: Mapping[str, object], users: Users, reason: str
) -> int:
    before = _players(turn.db, ruled.id)
    reversal = _reverse(turn, ruled, users[0]) if ruled.settled else None
    read = hand_rulings.read(turn, ruled, outcome, users[0])
    decision = Decision(read, games.is_void(read), users, reason, reversal)
    generation = settling.settle(turn, ruled, decision)
    turn.renew_stakes_of(ruled)
    _warn_below_zero(turn, ruled, _balances(before, _players(turn.db, ruled.id)))
    return generation


def _reverse(turn: Turn, ruled: Round, user: Actor) -> int:
    """Reverse the lines of the settlement in force; returns the posting."""
    assert ruled.terms is not None
    db, now_ns, col = turn.db, turn.now_ns, round_settlements.c
    posting = db.execute(
        select(col.posting_id).where(col.round_id == ruled.id, col.generation == ruled.settled)
    ).scalar_one()
    lines = {account: -cents for account, cents in books.lines_of(db, posting).items()}
    currency = turn.shared.currency
    meters.lock(db, turn.table, turn.terms_at(ruled.terms), currency)
    entry = Entry("reversal", currency, turn.table, ruled.id, reverses=posting, user=user.user)
    reversal = books.post(db, entry, lines, now_ns)
    _call_back(turn, ruled, reversal)
    return reversal


def _call_back(turn: Turn, ruled: Round, reversal: int) -> None:
    """Recall stakes from the rounds they stayed in play for. reversal: posting."""
    col = bets.c
    origin = bets.alias("origin")
    query = (
        select(col.id, col.round_id)
        .join(origin, origin.c.id == col.carried_from)
        .where(origin.c.round_id == ruled.id, col.carried_generation == ruled.settled)
    )
    carried = turn.db.execute(query).all()
    for number, key in carried:
        later = judging.by_key(turn, key)
        if later.settled:
            what = f"a stake of round {ruled.id} stayed in play in round {key}, which is settled"
            raise LedgerRejection("stakes_played_on", what, "pay the difference by hand", "round")
        del later.bets[number]
        turn.renew_stakes_of(later)
    rows = [(number, reversal, "corrected", turn.now_ns) for number, _ in carried]
    settling.close_stakes(turn.db, rows)


def _round_of_late(turn: Turn, number: int) -> int:
    """Return the round of a bet that came late and waits for a ruling. Raises LedgerRejection."""
    query = select(bets.c.round_id, bets.c.table_id).where(bets.c.id == number, is_referred())
    row = turn.db.execute(query).one_or_none()
    if row is None or row.table_id != turn.table:
        what = f"bet {number} of table {turn.table} did not come late"
        raise LedgerRejection("no_such_bet", what, "see the report of late bets", "bet")
    ruled = select(play.rulings.c.bet_id).where(play.rulings.c.bet_id == number)
    if turn.db.execute(ruled).first() is not None:
        what = f"bet {number} was ruled on"
        raise LedgerRejection("bet_ruled", what, "there is already a ruling", "bet")
    return int(row.round_id)


def _outcome_of(db: Connection, played: Round) -> Mapping[str, object]:
    col = round_settlements.c
    query = select(col.outcome).where(col.round_id == played.id, col.generation == played.settled)
    outcome: Mapping[str, object] = json.loads(db.execute(query).scalar_one())
    return outcome
