"""High Low, Red Dog and Casino War: games of single cards by rank, rulebook 9.7, 9.8 and 9.10."""

from collections.abc import Iterator
from fractions import Fraction

from tabletools.shadow.playing_cards import count_dealt, decided, hand
from tabletools.shadow.verdict import (
    Impossible,
    Record,
    Unjudged,
    Verdict,
    half,
    lose,
    push,
    stand,
    win,
    win_and_stay,
)

ANY_RANK = range(2, 15)
# Ranks between the first two cards of Red Dog -> odds; four and more pay 1.
RED_DOG = {1: 5, 2: 4, 3: 2}
RED_DOG_PAIR = 11
TIE = 10


def judge_high_low(play: Record) -> list[Verdict]:
    """Settle every bet of a round of High Low."""
    hands = _hands(play, "communal", "bank", 1)
    return [
        decided(
            bet["stake"],
            (_high_low(bet, *ranks).by("3:3(7)") for ranks in _deals(hands, (1, 1))),
        )
        for bet in play["bets"]
    ]


def _high_low(bet: Record, communal: int, bank: int) -> Verdict:
    stake, is_locked = bet["stake"], bet.get("state") == "locked"
    if communal == bank:
        if bet["bet"] == "egalite":
            return win_and_stay(stake, TIE, "locked")
        return Verdict("prison", live=stake, state="locked")
    if bet["bet"] != ("high" if communal > bank else "low"):
        return lose(stake)
    return push(stake) if is_locked else win(stake, 1)


def judge_red_dog(play: Record) -> list[Verdict]:
    """Settle every bet of a round of Red Dog."""
    outcome = play["outcome"]
    cards = hand(outcome.get("cards"))
    count_dealt(play, [cards])
    ranks = [card.rank for card in cards]
    is_consecutive = len(ranks) > 1 and abs(ranks[0] - ranks[1]) == 1
    if len(ranks) > (2 if is_consecutive else 3):
        raise Impossible("a card too many")
    if "void" not in outcome and len(ranks) < (2 if is_consecutive else 3):
        raise Impossible("a card is missing")
    return [
        decided(bet["stake"], (_red_dog(bet["stake"], *three) for three in _deals([ranks], (3,))))
        for bet in play["bets"]
    ]


def _red_dog(stake: int, first: int, second: int, third: int) -> Verdict:
    low, high = sorted((first, second))
    if low == high:
        found = win(stake, RED_DOG_PAIR) if third == low else push(stake)
        return found.by("3:4(5)", "3:4(4)")
    if high - low == 1:
        return push(stake).by("3:4(4)")
    if low < third < high:
        return win(stake, RED_DOG.get(high - low - 1, 1)).by("3:4(3)")
    return lose(stake).by("3:4(4)")


def judge_casino_war(play: Record) -> list[Verdict]:
    """Settle every bet of a round of Casino War."""
    hands = _hands(play, "player", "bank", 1)
    if "void" in play["outcome"] and hands[0] and hands[0] == hands[1]:
        raise Unjudged("a fault at equal cards, before the war")
    is_kept = bool(play["table"].get("tie_kept"))
    return [
        decided(
            bet["stake"],
            (
                _war(bet, is_kept, *ranks).by(_war_paragraph(bet, *ranks))
                for ranks in _deals(hands, (1, 1))
            ),
        )
        for bet in play["bets"]
    ]


def _war_paragraph(bet: Record, player: int, bank: int) -> str:
    """Return what decides: 3:9(5) has equal cards and all of the war."""
    if bet["bet"] == "war" or bet.get("state") == "war" or player == bank:
        return "3:9(5)"
    return "3:9(3)" if player > bank else "3:9(4)"


def _war(bet: Record, is_kept: bool, player: int, bank: int) -> Verdict:
    stake, name = bet["stake"], bet["bet"]
    if name == "war" or bet.get("state") == "war":
        if player < bank:
            return lose(stake)
        if name == "war":
            return win(stake, 1)
        if name == "bet":
            return push(stake)
        if player == bank:
            return win(stake, TIE)
        return push(stake) if is_kept else lose(stake)
    goes_to_war = bet.get("choice") == "war"
    if player == bank:
        if name == "tie":
            return win_and_stay(stake, TIE, "war") if goes_to_war else win(stake, TIE)
        if goes_to_war:
            return stand(stake, "war")
        return half(stake, Fraction(1, 2))
    return win(stake, 1) if name == "bet" and player > bank else lose(stake)


def _hands(play: Record, first: str, second: str, cards: int) -> list[list[int]]:
    outcome = play["outcome"]
    hands = [hand(outcome.get(name)) for name in (first, second)]
    count_dealt(play, hands)
    if any(len(some) > cards for some in hands):
        raise Impossible("a card too many")
    if "void" not in outcome and any(len(some) < cards for some in hands):
        raise Impossible("a card is missing")
    return [[card.rank for card in some] for some in hands]


def _deals(hands: list[list[int]], wanted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of all hands together, with every possible rank for each missing card."""
    for at, (some, cards) in enumerate(zip(hands, wanted, strict=True)):
        if len(some) < cards:
            for rank in ANY_RANK:
                yield from _deals([*hands[:at], [*some, rank], *hands[at + 1 :]], wanted)
            return
    yield tuple(rank for some in hands for rank in some)


# With the editions that have it.
JUDGED = {
    "high_low": (judge_high_low, "hc2011"),
    "red_dog": (judge_red_dog, "hc2011"),
    "casino_war": (judge_casino_war, "hc2023"),
}
