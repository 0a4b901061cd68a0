"""Decisions of two named users: late bets, rounds without a result, corrections.

How a round is settled again, with the rounds in which its stakes play on: `corrections`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from tabletools import authority
from tabletools.evidence import alarms, rounds
from tabletools.money import wallet_transfers
from tabletools.money.referring import is_referred
from tabletools.store import audit, books, people, requests
from tabletools.store.audit import Actor
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema import play
from tabletools.store.schema.play import bets
from tabletools.table import corrections, game_rounds, hand_rulings, judging, settling, shell
from tabletools.table.corrections import Players, Resettled
from tabletools.table.settling import Decision
from tabletools.table.shell import Turn
from tabletools.table.state import Round

Users = tuple[Actor, Actor]


class Ruling(NamedTuple):
    """What two users decide about a round.

    outcome: as `settle` reads it, such as {"pocket": "17"} or {"void": "reason"}; or
    {"stakes_back": "reason"}; or the record of a card round, see `hand_rulings`. settled: the
    generation they saw, 0 before the first. key: of the request. evidence: who saw the result and
    what shows it. preview: digest of the preview they agreed to; card rounds need one, and so do
    rulings that settle later rounds again.
    """

    outcome: Mapping[str, object]
    users: Sequence[Actor]
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
    """What a ruling would do."""

    rounds: list[Resettled]
    """The round, then those in which its stakes play on, in the order of play."""
    digest: str
    """Of the generations it would create, their bets and lines."""
    balances: list[Balance]
    differences: list[str]
    """Between the cards of a record and those the shoe read."""


def preview_round(
    ledger: Store, round_key: int, outcome: Mapping[str, object], user: Actor
) -> Preview:
    """Return what a ruling would do; nothing is changed. Raises LedgerRejection, StoreError.

    It is the real run, undone. On PostgreSQL bets and records do not wait for it: it locks neither
    the lease nor a balance. On SQLite they wait until the run ends.
    """

    def look(db: Connection) -> Preview:
        books.set_aside(db)
        return _preview(*_turn_of(ledger, db, round_key), outcome, user)

    return ledger.rehearse(look)


def _turn_of(ledger: Store, db: Connection, round_key: int) -> tuple[Turn, Round]:
    """Return a round of any table, with a transaction that is thrown away."""
    row = rounds.by_key(db, round_key)
    turn = None
    if row is not None and row.table is not None:
        turn = shell.without_lease(ledger, db, row.table, lock=False)
    if turn is None:
        what = f"no table of this house played round {round_key}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return turn, judging.by_key(turn, round_key)


def _preview(turn: Turn, ruled: Round, outcome: Mapping[str, object], user: Actor) -> Preview:
    def decide() -> Decision:
        read = hand_rulings.read(turn, ruled, outcome, user)
        return Decision(read, game_rounds.is_void(read))

    done = corrections.settle_through(turn, ruled, decide, user, corrections.no_record)
    differences = hand_rulings.differences(turn.db, ruled, outcome)
    balances = _balances(turn.db, done.before)
    return Preview(done.rounds, _digest(done.rounds), balances, differences)


def rule_round(ledger: Store, lease: Lease, round_key: int, ruling: Ruling) -> int:
    """Settle a round without a result, or correct one; returns the generation in force.

    The same request again gets the same answer and changes nothing. Raises LedgerRejection, also
    if the round was settled since the users saw it, LostLease, StoreError.
    """
    requests.verify_key(ruling.key)
    digest = _request_digest(ruling)
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
        why = ruling.reason, ruling.evidence
        rounds = _settle_again(turn, ruled, ruling.outcome, users, *why)
        _verify_previewed(ruling, rounds)
        _note(turn, ruled, ruling, users, rounds)
        generation = rounds[0].generation
        requests.keep(db, scope, [(ruling.key, digest, generation)], turn.now_ns)
        return generation

    return shell.run(ledger, lease, write)


def _request_digest(ruling: "Ruling | BetRuling") -> str:
    """Return the digest of what is ruled, by whom."""
    numbers = [who.user for who in ruling.users]
    return requests.digest_of({**ruling._asdict(), "users": numbers, "key": None})


def decline(
    ledger: Store,
    round_key: int,
    outcome: Mapping[str, object],
    users: Sequence[Actor],
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
    if not game_rounds.is_by_hands(ruling.outcome):
        return
    if not ruling.preview:
        what = "look at the preview of the settlement before ruling on hands"
        raise LedgerRejection("preview_needed", what, "get the preview first", "preview")
    late = [number for number, bet in ruled.bets.items() if not bet.counts]
    if late:
        what = f"bet {min(late)} of the round came late, and has no ruling"
        raise LedgerRejection("late_bet_open", what, "rule on the late bets first", "outcome")


def _verify_previewed(ruling: Ruling, rounds: Sequence[Resettled]) -> None:
    """Raise LedgerRejection unless a ruling does what its preview showed; a chain needs one."""
    if ruling.preview and _digest(rounds) != ruling.preview:
        what = "the ruling has another effect than its preview"
        raise LedgerRejection("preview_changed", what, "look at the preview again", "preview")
    if len(rounds) > 1 and not ruling.preview:
        later = " ".join(str(each.number) for each in rounds[1:])
        what = f"stakes of the round play on: the ruling also settles round {later} again"
        raise LedgerRejection("preview_needed", what, "get the preview first", "preview")


def _note(
    turn: Turn, ruled: Round, ruling: Ruling, users: Users, rounds: Sequence[Resettled]
) -> None:
    """Note who ruled what on a round, and which rounds were settled again for its stakes."""
    db, why = turn.db, {"reason": ruling.reason, "evidence": ruling.evidence}
    details = {"outcome": dict(ruling.outcome), "generation": rounds[0].generation, **why}
    if differences := hand_rulings.differences(db, ruled, ruling.outcome):
        details["differences"] = differences
    audit.note_both(db, users, "round_ruled", f"round {ruled.id}", turn.now_ns, **details)
    for later in rounds[1:]:
        follows = {"follows": ruled.id, "generation": later.generation, **why}
        subject = f"round {later.round}"
        audit.note_both(db, users, "round_resettled", subject, turn.now_ns, **follows)


def _digest(rounds: Sequence[Resettled]) -> str:
    facts = [
        [
            each.round,
            each.generation,
            [
                [bet.account, bet.slip, *line.facts()]
                for bet, line in zip(each.staked, each.lines, strict=True)
            ],
        ]
        for each in rounds
    ]
    text = json.dumps(facts, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _balances(db: Connection, before: Players) -> list[Balance]:
    """Return the balances of players now, beside those before."""
    now = books.balances(db, before)
    return [
        Balance(number, name, before[number][1], cents) for number, (name, cents) in now.items()
    ]


def _settle_again(
    turn: Turn,
    ruled: Round,
    outcome: Mapping[str, object],
    users: Users,
    reason: str,
    evidence: str | None = None,
) -> list[Resettled]:
    def decide() -> Decision:
        read = hand_rulings.read(turn, ruled, outcome, users[0])
        return Decision(read, game_rounds.is_void(read), users, reason, evidence)

    done = corrections.settle_through(turn, ruled, decide, users[0])
    _warn_below_zero(turn, ruled, _balances(turn.db, done.before))
    return done.rounds


def _warn_below_zero(turn: Turn, ruled: Round, balances: Sequence[Balance]) -> None:
    """Raise an alarm for each player whose balance a ruling takes below 0, or further below."""
    for one in balances:
        if one.after_cents < min(0, one.before_cents):
            if wallet_transfers.is_linked(turn.db, one.account):
                continue  # the wallet is debited, and an alarm says if it refuses
            text = f"a ruling leaves account {one.account} ({one.name}) at {one.after_cents} cents"
            alarm = alarms.AlarmCause(alarms.BELOW_ZERO, text, ruled.device, ruled.table, ruled.id)
            alarms.raise_alarm(turn.db, alarm, turn.now_ns)


class BetRuling(NamedTuple):
    """What two users decide about a bet that came late. key: of the request."""

    bet: int
    is_valid: bool
    users: Sequence[Actor]
    reason: str
    key: str


def rule_bet(ledger: Store, lease: Lease, ruling: BetRuling) -> None:
    """Rule whether a late bet counts: its stake is refunded, or it is settled like the others.

    The same request again changes nothing. Raises LedgerRejection, LostLease, StoreError.
    """
    number, is_valid, users, reason, key = ruling
    requests.verify_key(key)
    digest = _request_digest(ruling)
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
        if all(bet.counts for bet in played.bets.values()):
            turn.end_alarms((alarms.LATE_BET,), round_key=played.id)
        details = {"valid": is_valid, "reason": reason}
        audit.note_both(db, (first, second), "bet_ruled", f"bet {number}", now_ns, **details)
        requests.keep(db, scope, [(key, digest, is_valid)], now_ns)

    shell.run(ledger, lease, write)


def _settle_with_late(turn: Turn, played: Round, users: Users, reason: str) -> None:
    """Settle a round again, with a late bet that counts now."""
    outcome = settling.outcome_of(turn.db, played.id, played.settled)
    if game_rounds.is_by_hands(outcome):
        what = f"round {played.id} was ruled on hand by hand, without this bet"
        raise LedgerRejection("hands_settled", what, "rule it invalid", "valid")
    _settle_again(turn, played, outcome, users, reason)


def _round_of(turn: Turn, key: int) -> Round:
    ruled = judging.find_by_key(turn, key)
    if ruled is None or ruled.table != turn.table:
        what = f"round {key} is not a round of table {turn.table}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return ruled


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
