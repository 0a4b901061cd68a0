"""Settlement: from placed bets and an outcome to one line per bet about what happens to its stake.

Knows no game: a placed bet carries its verdicts (`rules.bets.CompiledBet`), an outcome is the key
into them. Knows no frame, file or database.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple

from tabletools.rules.bets import CompiledBet
from tabletools.rules.citation import read
from tabletools.rules.codes.stakes import NOT_WHOLE_CENTS
from tabletools.rules.records import Pool, Round
from tabletools.rules.violation import RuleViolation, shown


class Settlement(msgspec.Struct, frozen=True, gc=False):
    """The result of one bet; all amounts in cents, stake == back + live + lost.

    Creating one takes 0.12 us, a named tuple 0.44 us (CPython 3.11); and in a round of many bets
    the garbage collector has nothing to scan.

    outcome: one of rules.verdict.OUTCOMES. stake: what was in play. win: winnings on top of the
    stake. back: stake returned. live: stake staying in play with `state`. lost: stake to the
    bank. citation: the paragraphs that decide and what they pay (`rules.citation`).
    """

    id: str
    outcome: str
    stake: int
    win: int
    back: int
    live: int
    lost: int
    state: str | None
    citation: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """What decides the bet, with its edition: first the paragraph that overrides."""
        return read(self.citation).paragraphs

    @property
    def rule(self) -> str:
        """The paragraph that decides."""
        return self.paragraphs[0]

    def facts(self) -> tuple[str | int | None, ...]:
        """Return all fields but the id, in their order."""
        return astuple(self)[1:]


class Totals(NamedTuple):
    """Sums over the lines of a round, cents."""

    stake: int
    win: int
    back: int
    live: int
    lost: int


class Unbalanced(Exception):
    """The lines of a round do not balance: a fault of this program, nothing may be paid."""


def verify_round(bets: Sequence[CompiledBet], outcome: Any) -> None:
    """Raise RuleViolation if this outcome would pay or take a part of a cent (READING-2)."""
    for place, bet in enumerate(bets):
        verdict = bet.verdicts[outcome]
        if bet.stake % verdict.den:
            what = (
                f"stake {bet.stake} of bet {shown(bet.id)} does not divide by {verdict.den}, and "
                f"the outcome is {verdict.outcome} ({verdict.rule})"
            )
            raise RuleViolation(NOT_WHOLE_CENTS, what, f"bets[{place}].stake")


def settle_round(bets: Sequence[CompiledBet], outcome: Any) -> list[Settlement]:
    """Settle all bets of a round, in order: all of them or, with a RuleViolation, none.

    outcome: key into the verdicts of these bets; of roulette, `roulette.outcome_of(...)` or
    `roulette.VOID`. Raises RuleViolation as `verify_round` does, and Unbalanced. Every bet is
    settled here, single or in bulk.
    """
    # Each line is compared with its own stake: one that divides it wrongly is left out.
    lines = [
        Settlement(
            bet.id,
            verdict.outcome,
            stake,
            unit * verdict.win,
            back,
            live,
            lost,
            verdict.state,
            verdict.citation,
        )
        for bet in bets
        for stake in (bet.stake,)
        for verdict in (bet.verdicts[outcome],)
        for unit in (stake if verdict.den == 1 else stake // verdict.den,)
        for back, live, lost in ((unit * verdict.back, unit * verdict.live, unit * verdict.lost),)
        if back + live + lost == stake
    ]
    if len(lines) != len(bets):
        verify_round(bets, outcome)
        raise Unbalanced(f"{len(bets) - len(lines)} stakes are not divided whole")
    return lines


def settle(round_: Round) -> list[Settlement]:
    """Settle a round, with what its players staked against each other. Raises as settle_round."""
    lines = settle_round(round_.bets, round_.outcome)
    if round_.pool is not None:
        verify_pool(round_.pool, lines)
    return lines


def totals(lines: Sequence[Settlement]) -> Totals:
    """Add up the lines of a round."""
    return Totals(*(sum(map(attrgetter(name), lines)) for name in Totals._fields))


def verify_balance(stakes: Sequence[int], lines: Sequence[Settlement]) -> Totals:
    """Return the sums of the lines of a round.

    Raises Unbalanced unless what was staked equals what is returned, stays live or is lost.
    """
    staked, sums = sum(stakes), totals(lines)
    _, _, back, live, lost = sums
    if len(stakes) != len(lines) or staked != back + live + lost:
        raise Unbalanced(f"staked {staked}, back {back}, live {live}, lost {lost}")
    return sums


def verify_pool(pool: Pool, lines: Sequence[Settlement]) -> None:
    """Raise Unbalanced unless the winners get what the others lost, less the rake, and nobody wins
    from another more than the two of them matched."""
    sums = totals(lines)
    if sums.win + pool.rake != sums.lost:
        raise Unbalanced(f"won {sums.win}, rake {pool.rake}, lost {sums.lost}")
    for line in lines:
        own = pool.put_in.get(line.id, 0)
        matched = sum(min(own, other) for other in pool.put_in.values()) - own + pool.dead
        if line.win > matched:
            what = f"bet {shown(line.id)} wins {line.win} and matched {matched} of the others"
            raise Unbalanced(what)
