"""The jackpot prizes of a hand, by edition and game (rulebook 10). The bank does not matter."""

from collections.abc import Callable, Mapping

from tabletools.games.jackpot.scheme import Prize
from tabletools.rules.cards import Hand, level
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.poker import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    best_of,
)
from tabletools.rules.violation import RuleViolation

JACK, ACE = 11, 14
RED = "DH"
PrizesOf = Callable[[Hand], tuple[Prize, ...]]

_TIMES_2023 = {FULL_HOUSE: 25, FLUSH: 20, STRAIGHT: 15, THREE: 5}
_FOUR_2023 = 50
_TIMES_2011 = {FOUR: 500, FULL_HOUSE: 100, FLUSH: 50}
_STRAIGHT_FLUSH_2011 = 5000


def _five(hand: Hand) -> tuple[int, ...]:
    if len(hand) != 5 or len(set(hand)) != 5:
        raise RuleViolation(DEAL_NOT_BY_RULE, "a jackpot hand is five different cards of one deck")
    return best_of(hand)


def poker_2023(hand: Hand, *, keeps: bool = True) -> tuple[Prize, ...]:
    """hc2023 3:5(9), 3:6(12), 3:7(9); fixed prizes return 24.81 % of the stake, and the stake.

    keeps: the stake is returned with an n:1 prize, as elsewhere.
    """
    combination, high, *_ = _five(hand)
    if combination >= STRAIGHT_FLUSH:
        return (Prize("mega" if hand[0][1] == "D" else "major"),)
    if combination == FOUR:
        return (Prize("minor") if high >= JACK else Prize(times=_FOUR_2023, keeps=keeps),)
    times = _TIMES_2023.get(combination)
    return (Prize(times=times, keeps=keeps),) if times else ()


def caribbean_2011(hand: Hand) -> tuple[Prize, ...]:
    """hc2011 3:6(7): the whole progressive for a royal flush, else times the jackpot bet."""
    combination = _five(hand)[0]
    if combination == ROYAL_FLUSH:
        return (Prize("jackpot"),)
    if combination == STRAIGHT_FLUSH:
        return (Prize(times=_STRAIGHT_FLUSH_2011),)
    return (Prize(times=_TIMES_2011[combination]),) if combination in _TIMES_2011 else ()


def multi_poker_2011(hand: Hand) -> tuple[Prize, ...]:
    """hc2011 3:9(3): three jackpots and three bonuses."""
    combination, high, *_ = _five(hand)
    if combination >= STRAIGHT_FLUSH:
        return (Prize("jackpot1" if combination == ROYAL_FLUSH else "jackpot2"),)
    if combination == FOUR and high == ACE:
        return (Prize("jackpot3"),)
    return (Prize(times=_TIMES_2011[combination]),) if combination in _TIMES_2011 else ()


def multi_jack_2011(hand: Hand) -> tuple[Prize, ...]:
    """hc2011 3:2(12): two sevens, and what a third one adds."""
    if not 2 <= len(hand) <= 3:
        raise RuleViolation(DEAL_NOT_BY_RULE, "Multi Jack looks at the first two or three cards")
    if any(level(card) != 7 for card in hand[:2]):
        return ()
    suits = {card[1] for card in hand}
    pair = Prize(times=150 if {card[1] for card in hand[:2]} == {"H"} else 30)
    if len(hand) == 2 or level(hand[2]) != 7:
        return (pair,)
    if len(suits) == 1:
        return pair, Prize("jackpot1" if suits == {"H"} else "jackpot2")
    if len({suit in RED for suit in suits}) == 1:
        return pair, Prize("jackpot3")
    return pair, Prize(times=200)


def greek(consolation: Mapping[str, int]) -> PrizesOf:
    """gr2003 §9β: the whole, a tenth, or what the casino has determined, cents by combination."""
    smaller = {FOUR: "four", FULL_HOUSE: "full_house", FLUSH: "flush"}

    def prizes_of(hand: Hand) -> tuple[Prize, ...]:
        combination = _five(hand)[0]
        if combination == ROYAL_FLUSH:
            return (Prize("jackpot"),)
        if combination == STRAIGHT_FLUSH:
            return (Prize("jackpot", share=10),)
        name = smaller.get(combination)
        return (Prize(fixed=consolation[name]),) if name else ()

    return prizes_of
