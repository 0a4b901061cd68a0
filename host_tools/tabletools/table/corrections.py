"""A round settled by two users, and with it every round in which its stakes play on.

A correction reverses the lines of a settlement with new ones and settles the round again; nothing
is ever changed in place. A stake that the new outcome leaves in play is decided by the round that
was played next, also where that is settled: it is settled again, by its own outcome, and so is the
round after it, as far as stakes play on. So corrections come to the same balances as if the
corrected outcomes had been the first.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, select

from tabletools.money import meters
from tabletools.rules.settlement import Settlement
from tabletools.store import books
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.play import bets, round_settlements
from tabletools.table import game_rounds, judging, settling
from tabletools.table.settling import Decision, Posted
from tabletools.table.shell import Turn
from tabletools.table.slips import StoredBet
from tabletools.table.state import Round

Players = dict[int, tuple[str, int]]
"""Name and balance of players, cents, by account."""
Recorder = Callable[[Turn, Round, Decision, Posted], None]


class Resettled(NamedTuple):
    """A round as two users settled it. lines: the result of each bet of `staked`, in order."""

    round: int
    number: int
    """As its device counts."""
    generation: int
    outcome: Mapping[str, object]
    staked: list[StoredBet]
    lines: list[Settlement]


class Correction(NamedTuple):
    """Every round that a ruling settles, in the order of play, and the balances before it."""

    rounds: list[Resettled]
    before: Players


def no_record(_turn: Turn, _played: Round, _decision: Decision, _posted: Posted) -> None:
    """What a preview records of a settlement: nothing, as it is undone."""


def settle_through(
    turn: Turn,
    ruled: Round,
    decide: Callable[[], Decision],
    user: Actor,
    record: Recorder = settling.record,
) -> Correction:
    """Settle a round by a ruling, then each settled round that its stakes leave or join.

    decide: called once the settlement in force is reversed. user: who is named on the reversals.
    Raises LedgerRejection, also where a later round was ruled on bet by bet: its record names bets
    that are no longer there.
    """
    numbers, done, first = {ruled.id: ruled.number}, Correction([], {}), None
    while numbers:
        key = min(numbers, key=lambda each: _place(numbers[each]))
        del numbers[key]
        each = ruled if key == ruled.id else judging.by_key(turn, key)
        players = players_of(turn.db, key)
        done.before.update({one: players[one] for one in players.keys() - done.before.keys()})
        reversal = _reverse(turn, each, user) if each.settled else None
        left = [] if reversal is None else _recall(turn, each, reversal)
        first = first or decide()
        decision = first if each is ruled else _again(turn.db, each, ruled, first)
        decision = decision._replace(reversal=reversal)
        posted = settling.post(turn, each, decision)
        record(turn, each, decision, posted)
        joined = settling.carry_through(turn, key)
        turn.renew_stakes_of(each)
        settled = each.settled, decision.outcome, posted.staked, posted.lines
        done.rounds.append(Resettled(key, each.number, *settled))
        later = [*left, joined] if joined is not None else left
        numbers.update({one.id: one.number for one in later if one.settled})
    turn.look_for_live_stakes()
    return done


def _place(number: int) -> tuple[bool, int]:
    """Return the place of a round in the order of play: those that two users ended come last."""
    return number < 0, abs(number)


def _again(db: Connection, later: Round, ruled: Round, decision: Decision) -> Decision:
    """Return the decision on a round that is settled again for its stakes: by its own outcome."""
    col = round_settlements.c
    query = select(col.is_void).where(col.round_id == later.id, col.generation == later.settled)
    is_void = bool(db.execute(query).scalar_one())
    outcome = settling.outcome_of(db, later.id, later.settled)
    if game_rounds.is_by_hands(outcome):
        what = f"stakes play on in round {later.number}, which was ruled on bet by bet"
        step = "return the stakes of that round (stakes_back), then correct this one, then that"
        raise LedgerRejection("stakes_played_on", what, step, "round")
    return decision._replace(outcome=outcome, is_void=is_void, follows=ruled.id)


def players_of(db: Connection, round_key: int) -> Players:
    """Return the players with a bet in a round, locked until the end of the transaction."""
    with_bets = select(bets.c.account_id).where(bets.c.round_id == round_key).distinct()
    return books.balances(db, db.execute(with_bets).scalars().all(), lock=True)


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
    return books.post(db, entry, lines, now_ns)


def _recall(turn: Turn, ruled: Round, reversal: int) -> list[Round]:
    """Recall stakes from the rounds they played on in; returns those rounds.

    reversal: posting.
    """
    col, origin = bets.c, bets.alias("origin")
    query = (
        select(col.id, col.round_id)
        .join(origin, origin.c.id == col.carried_from)
        .where(origin.c.round_id == ruled.id, col.carried_generation == ruled.settled)
    )
    carried = turn.db.execute(query).all()
    left = {key: judging.by_key(turn, key) for key in sorted({row.round_id for row in carried})}
    for number, key in carried:
        del left[key].bets[number]
    rows = [(number, reversal, "corrected", turn.now_ns) for number, _ in carried]
    settling.close_stakes(turn.db, rows)
    for later in left.values():
        turn.renew_stakes_of(later)
    return list(left.values())
