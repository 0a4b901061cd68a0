"""What a round of Black Jack does to each bet (rulebook 9.11)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tabletools.games.blackjack.hands import (
    TWENTY_ONE,
    Bank,
    Deal,
    doubled_points,
    finals,
    is_in_play,
    points,
)
from tabletools.games.blackjack.sides import JACK_PAYS, MATCH_PAYS, ODDS, Sides, sides_of
from tabletools.games.blackjack.stakes import doubled_of
from tabletools.games.blackjack.terms import DE_LIVE, NATURAL, Terms
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, Results
from tabletools.rules.citation import over
from tabletools.rules.game import Choice, State
from tabletools.rules.selection import On
from tabletools.rules.verdict import Verdict, lose, push, void, win, with_bonus

SWITCH_PUSH = 22
"""Points of the bank at which every hand but a Black Jack pushes (hc2011 3:2(22))."""
_SEVENS = ("7", "7", "7")


class Played(NamedTuple):
    """The result of a hand. sevens, five: the bonus of three sevens or of five cards is won.

    counts_by: the paragraph by which the cards count other than elsewhere, "" for none.
    """

    points: int
    natural: bool
    sevens: bool
    five: bool
    counts_by: str


class Result(NamedTuple):
    """One way the round can end."""

    hands: tuple[Played, ...]
    bank: Bank
    sides: Sides


def _sum_up(hand: Hand, terms: Terms, *, doubled: bool, split: bool, switched: bool) -> Played:
    whole = not (split or switched)
    best = doubled_points(hand, terms) if doubled else points(hand)
    counts_by = "" if best == points(hand) else terms.articles.double
    if len(hand) == 2 and best == TWENTY_ONE and not whole:
        counts_by = terms.articles.split if split else terms.own
    natural = whole and len(hand) == 2 and best == TWENTY_ONE
    sevens = terms.sevens and tuple(card[0] for card in hand[:3]) == _SEVENS
    five = terms.five_cards and len(hand) >= 5 and points(hand[:5]) <= TWENTY_ONE
    return Played(best, natural, sevens and whole, five, counts_by)


def results_of(terms: Terms, bets: Sequence[CompiledBet], deal: Deal) -> Results:
    """Return the ways the round can still end. de-live BJ 2.1.5: after a fault none is decided."""
    if (deal.voided and terms.edition == DE_LIVE) or not deal.groups:
        return frozenset()
    return _results(terms, doubled_of(bets), deal, _stops(deal, bets))


def _stops(deal: Deal, bets: Sequence[CompiledBet]) -> bool:
    """Return whether the bank has its final hand though it has not drawn to 17.

    So it is when all hands of the table are above 21, unless a second card is to come for an
    insurance (hc2023 3:2(4), (6), hc2011 3:2(5), (7)).
    """
    if deal.voided or deal.others_play or any(map(is_in_play, deal.hands)):
        return False
    return len(deal.bank) > 1 or all(bet.chance.kind != "insurance" for bet in bets)


@lru_cache(64)
def _results(terms: Terms, doubled: frozenset[int], deal: Deal, stops: bool) -> Results:
    total = points(deal.bank)
    banks = [Bank(total, natural=total == TWENTY_ONE)] if stops else finals(deal.bank)
    firsts = deal.firsts
    hands = tuple(
        _sum_up(
            hand,
            terms,
            doubled=number in doubled,
            split=list(firsts.values()).count(firsts[number]) > 1,
            switched=deal.switched,
        )
        for number, hand in enumerate(deal.hands, 1)
    )
    sides = sides_of(deal)
    return frozenset(Result(hands, bank, sides) for bank in banks)


def _against(terms: Terms, hand: Played, bank: Bank) -> Verdict:
    """Return the verdict on the stake of a hand, without the bonus."""
    pays, equal = terms.articles.pays, terms.articles.equal
    if hand.counts_by:
        pays, equal = over(hand.counts_by, pays), over(hand.counts_by, equal)
    if hand.points > TWENTY_ONE:
        return lose(pays)
    if hand.natural and not bank.natural:
        return win(terms.natural, pays if terms.natural == NATURAL else over(terms.own, pays))
    if bank.natural and not hand.natural:
        return lose(equal)
    if bank.points > TWENTY_ONE:
        drawn = terms.switch and bank.points == SWITCH_PUSH
        return push(over(terms.own, equal)) if drawn else win((1, 1), pays)
    if hand.points != bank.points:
        return win((1, 1), pays) if hand.points > bank.points else lose(equal)
    if terms.casino21:
        pushes, equal = hand.natural and terms.natural_push, over(terms.own, equal)
    else:
        pushes = not terms.bank_wins_ties or hand.points == TWENTY_ONE
    return push(equal) if pushes else lose(equal)


def decide_stake(terms: Terms, on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """The stake on a hand, with the bonuses that are paid whether it wins or not."""
    assert isinstance(result, Result)
    assert isinstance(on[0], int)
    if on[0] > len(result.hands):
        return void(terms.articles.void)
    hand = result.hands[on[0] - 1]
    verdict_ = _against(terms, hand, result.bank)
    if hand.sevens:
        verdict_ = with_bonus(verdict_, 1, terms.articles.sevens)
    return with_bonus(verdict_, 1, terms.own) if hand.five else verdict_


def decide_insurance(
    article: str, _on: On, _state: State, _choice: Choice, result: object
) -> Verdict:
    """2:1 if the bank has a Black Jack. Edge 23/311 or 7.3955 % with 6 decks."""
    assert isinstance(result, Result)
    return win((2, 1), article) if result.bank.natural else lose(article)


def decide_side(
    name: str, rule: str, void_rule: str, _on: On, _state: State, _choice: Choice, result: object
) -> Verdict:
    """A bet on the first cards; see sides.ODDS."""
    assert isinstance(result, Result)
    column, pays = ODDS[name]
    combination = getattr(result.sides, column)
    if combination is None:
        return void(void_rule)
    return win((pays[combination], 1), rule) if combination else lose(rule)


def decide_jack(
    by_color: bool,
    rule: str,
    void_rule: str,
    _on: On,
    _state: State,
    _choice: Choice,
    result: object,
) -> Verdict:
    """BJ+: the Black Jack is paid whatever the bank has; a bank above 21 leaves the stake.

    by_color: two cards of one colour are a Color Jack too, a table's option (READING-32).
    """
    assert isinstance(result, Result)
    jack = result.sides.jack
    if jack is None:
        return void(void_rule)
    if jack:
        jack = "suit" if by_color and jack == "colour" else jack
        return win((JACK_PAYS[jack], 1), rule)
    return push(rule) if result.bank.points > TWENTY_ONE else lose(rule)


def decide_match(
    rule: str, void_rule: str, _on: On, _state: State, _choice: Choice, result: object
) -> Verdict:
    """Super Match: the ranks of the first four cards of the box."""
    assert isinstance(result, Result)
    if result.sides.match is None:
        return void(void_rule)
    odds = MATCH_PAYS.get(result.sides.match)
    return win((odds, 1), rule) if odds else lose(rule)
