"""Stakes of Black Jack that depend on a bet: split, double and insurance."""

from collections import Counter
from collections.abc import Sequence

from tabletools.games.blackjack.hands import Deal
from tabletools.games.blackjack.terms import DE_LIVE, Terms
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.violation import RuleViolation, player_shown

BET, SPLIT, DOUBLE, INSURANCE = "bet", "split", "double", "insurance"
ON_HANDS = (BET, SPLIT, DOUBLE, INSURANCE)
MOST_HANDS = 64
"""Highest number of a hand; no rule limits it, and no box comes near."""

Stakes = Counter[tuple[str | None, str, int]]
"""Cents by player, kind and number of the hand, 0 where the kind has none."""


def number_of(bet: CompiledBet) -> int:
    """Return the number of the hand a bet is on, 0 if it is on none."""
    on = bet.chance.on
    return int(on[0]) if bet.chance.kind in ON_HANDS and on else 0


def doubled_of(bets: Sequence[CompiledBet]) -> frozenset[int]:
    """Return the numbers of the hands that were doubled."""
    return frozenset(number_of(bet) for bet in bets if bet.chance.kind == DOUBLE)


def _wrong(bet: CompiledBet, place: int, what: str) -> RuleViolation:
    who = f"{player_shown(bet.player)}: "
    return RuleViolation(BET_NOT_IN_ROUND, who + what, f"bets[{place}]")


def verify_stakes(bets: Sequence[CompiledBet], deal: Deal, terms: Terms) -> None:
    """Raise RuleViolation unless every stake belongs to a bet and no hand lacks a stake.

    Those who bet on a box with its holder follow his decisions: all split with him, since each
    hand of a box carries the stake of each; none doubles a hand that he does not.
    """
    _verify_holder(bets, deal, terms)
    stakes: Stakes = Counter()
    for bet in bets:
        stakes[bet.player, bet.chance.kind, number_of(bet)] += bet.stake
    firsts = deal.firsts or ({1: 1, 2: 2} if terms.switch else {1: 1})
    for place, bet in enumerate(bets):
        number = number_of(bet)
        if number and number not in firsts:
            raise _wrong(bet, place, f"there is no hand {number} in this box")
        if bet.chance.kind == DOUBLE:
            _verify_decided(bet, place, stakes, deal, terms)
        own = {n: _on_hand(stakes, bet.player, n, firsts) for n in firsts}
        _verify_hands(bet, place, own, firsts)
        if bet.chance.kind in (DOUBLE, INSURANCE):
            stake = stakes[bet.player, bet.chance.kind, number]
            _verify_follower(bet, place, (stake, own[number]), deal, terms)


def _verify_holder(bets: Sequence[CompiledBet], deal: Deal, terms: Terms) -> None:
    if deal.holder is None:
        return
    if terms.edition == DE_LIVE:
        what = f"{DE_LIVE} has no box holder: every player has a box alone"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "outcome.holder")
    if all((bet.player, bet.chance.kind) != (deal.holder, BET) for bet in bets):
        what = f"{player_shown(deal.holder)} holds the box and has no {BET} on it"
        raise RuleViolation(BET_NOT_IN_ROUND, f"{what} ({_decides(terms)})", "outcome.holder")


def _decides(terms: Terms) -> str:
    """Return the paragraph by which the holder of a box decides."""
    return f"{terms.edition} 3:2(2)"


def _verify_decided(
    bet: CompiledBet, place: int, stakes: Stakes, deal: Deal, terms: Terms
) -> None:
    """Raise RuleViolation unless the holder of the box doubled the hand too."""
    number = number_of(bet)
    if deal.holder is None or stakes[deal.holder, DOUBLE, number]:
        return
    what = f"{player_shown(deal.holder)} holds the box and did not double hand {number}"
    raise _wrong(bet, place, f"{what} ({_decides(terms)})")


def _on_hand(stakes: Stakes, player: str | None, number: int, firsts: dict[int, int]) -> int:
    return stakes[player, BET if firsts[number] == number else SPLIT, number]


def _verify_hands(
    bet: CompiledBet, place: int, own: dict[int, int], firsts: dict[int, int]
) -> None:
    """Every hand of the box carries the same stake of a player, and at least one stake."""
    number, kind = number_of(bet), bet.chance.kind
    if kind in (BET, SPLIT) and (kind == BET) != (firsts[number] == number):
        what = f"hand {number} carries a {BET if firsts[number] == number else SPLIT}, no {kind}"
        raise _wrong(bet, place, what)
    if not own[1]:
        raise _wrong(bet, place, f"{kind} needs a {BET} of the same player on the box")
    for other, stake in own.items():
        if stake != own[1]:
            what = f"hand {other} has {stake}, hand 1 has {own[1]}: they must be equal"
            raise _wrong(bet, place, what)


def _verify_follower(
    bet: CompiledBet, place: int, stake_and_own: tuple[int, int], deal: Deal, terms: Terms
) -> None:
    stake, own = stake_and_own
    if bet.chance.kind == DOUBLE:
        if stake != own and (terms.doubles_on_nine or stake > own):
            what = f"{stake} doubles {own} on the hand, the same amount again is required"
            raise _wrong(bet, place, f"{what} ({terms.articles.double})")
        return
    if 2 * stake != own:
        what = f"insurance is {stake}, it must be exactly half of {own}"
        raise _wrong(bet, place, f"{what} ({terms.articles.insurance})")
    if deal.bank[:1] and deal.bank[0][0] != "A":
        what = "insurance is possible when the first card of the bank is an ace"
        raise _wrong(bet, place, f"{what} ({terms.articles.insurance})")
    if number_of(bet) != deal.firsts.get(number_of(bet), 1):
        raise _wrong(bet, place, "a hand is insured before it is split, on its first number")
