"""High Low, Red Dog and Casino War: games of single cards by rank, rulebook 9.7, 9.8 and 9.10."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.playing_cards import count_dealt, decided, hand
from tabletools.shadow.verdict import (
    Impossible,
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


def judge_high_low(play: Play) -> list[Verdict]:
    """Settle every bet of a round of High Low."""
    hands = _hands(play, (play.outcome.communal, play.outcome.bank), 1)
    return [
        decided(
            bet.stake,
            (_high_low(bet, *ranks).by("3:3(7)") for ranks in _deals(hands, (1, 1))),
        )
        for bet in play.bets
    ]


def _high_low(bet: Bet, communal: int, bank: int) -> Verdict:
    stake, is_locked = bet.stake, bet.state == "locked"
    if communal == bank:
        if bet.kind == "egalite":
            return win_and_stay(stake, TIE, "locked")
        return Verdict("prison", live=stake, state="locked")
    if bet.kind != ("high" if communal > bank else "low"):
        return lose(stake)
    return push(stake) if is_locked else win(stake, 1)


def judge_red_dog(play: Play) -> list[Verdict]:
    """Settle every bet of a round of Red Dog."""
    outcome = play.outcome
    cards = hand(outcome.cards)
    count_dealt(play, [cards])
    ranks = [card.rank for card in cards]
    is_consecutive = len(ranks) > 1 and abs(ranks[0] - ranks[1]) == 1
    if len(ranks) > (2 if is_consecutive else 3):
        raise Impossible("a card too many")
    if outcome.void is None and len(ranks) < (2 if is_consecutive else 3):
        raise Impossible("a card is missing")
    return [
        decided(bet.stake, (_red_dog(bet.stake, *three) for three in _deals([ranks], (3,))))
        for bet in play.bets
    ]


def _red_dog(stake: int, first: int, second: int, third: int) -> Verdict:
    low, high = sorted((first, second))
    if low == high:
        verdict = win(stake, RED_DOG_PAIR) if third == low else push(stake)
        return verdict.by("3:4(5)", "3:4(4)")
    if high - low == 1:
        return push(stake).by("3:4(4)")
    if low < third < high:
        return win(stake, RED_DOG.get(high - low - 1, 1)).by("3:4(3)")
    return lose(stake).by("3:4(4)")


def judge_casino_war(play: Play) -> list[Verdict]:
    """Settle every bet of a round of Casino War."""
    hands = _hands(play, (play.outcome.player, play.outcome.bank), 1)
    if play.outcome.void is not None and hands[0] and hands[0] == hands[1]:
        raise Unjudged("a fault at equal cards, before the war")
    is_kept = bool(play.table.get("tie_kept"))
    return [
        decided(
            bet.stake,
            (
                _war(bet, is_kept, *ranks).by(_war_paragraph(bet, *ranks))
                for ranks in _deals(hands, (1, 1))
            ),
        )
        for bet in play.bets
    ]


def _war_paragraph(bet: Bet, player: int, bank: int) -> str:
    """Return what decides: 3:9(5) has equal cards and all of the war."""
    if bet.kind == "war" or bet.state == "war" or player == bank:
        return "3:9(5)"
    return "3:9(3)" if player > bank else "3:9(4)"


def _war(bet: Bet, is_kept: bool, player: int, bank: int) -> Verdict:
    stake, name = bet.stake, bet.kind
    if name == "war" or bet.state == "war":
        if player < bank:
            return lose(stake)
        if name == "war":
            return win(stake, 1)
        if name == "bet":
            return push(stake)
        if player == bank:
            return win(stake, TIE)
        return push(stake) if is_kept else lose(stake)
    goes_to_war = bet.choice == "war"
    if player == bank:
        if name == "tie":
            return win_and_stay(stake, TIE, "war") if goes_to_war else win(stake, TIE)
        if goes_to_war:
            return stand(stake, "war")
        return half(stake, Fraction(1, 2))
    return win(stake, 1) if name == "bet" and player > bank else lose(stake)


def _hands(play: Play, texts: Iterable[str | None], cards: int) -> list[list[int]]:
    hands = [hand(text) for text in texts]
    count_dealt(play, hands)
    if any(len(some) > cards for some in hands):
        raise Impossible("a card too many")
    if play.outcome.void is None and any(len(some) < cards for some in hands):
        raise Impossible("a card is missing")
    return [[card.rank for card in some] for some in hands]


def _deals(hands: list[list[int]], wanted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of all hands together, with every possible rank for each missing card."""
    for place, (some, cards) in enumerate(zip(hands, wanted, strict=True)):
        if len(some) < cards:
            for rank in ANY_RANK:
                yield from _deals([*hands[:place], [*some, rank], *hands[place + 1 :]], wanted)
            return
    yield tuple(rank for some in hands for rank in some)


# With the editions that have it.
JUDGED = {
    "high_low": (judge_high_low, "hc2011"),
    "red_dog": (judge_red_dog, "hc2011"),
    "casino_war": (judge_casino_war, "hc2023"),
}
