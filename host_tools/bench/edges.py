"""Edges of the games in which the player decides, by Monte-Carlo with a standard error.

    python host_tools/bench/edges.py [GAME ...] [--hands N] [--seed S]

Every hand is settled by the rules of the house; the player decides as the published edge (rulebook
9.2 to 9.6) assumes. An edge is the loss as a share of the ante. 1,000,000 hands of one game take
some minutes; the error falls with the square root of the hands.
"""

import argparse
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tabletools.games import caribbean, casino_holdem, four_card, ultimate
from tabletools.rules import stud
from tabletools.rules.cards import RANKS, SUITS, Hand, Results, level
from tabletools.rules.game import Game, Slip
from tabletools.rules.poker import HIGH, PAIR, THREE, TWO_PAIR, best_of
from tabletools.rules.settlement import settle_round

DECK = [rank + suit for rank in RANKS for suit in SUITS]
ANTE = 1_000
FOLDED = (("ante", 1, "fold"),)
Bets = tuple[tuple[str, int, str | None], ...]


class Estimate(NamedTuple):
    """Of a main game. edge: share of the ante lost; error: its standard error."""

    hands: int
    edge: float
    error: float


class House:
    """What bets come to by the rules of a game, in antes; each case is settled once."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._known: dict[tuple[Bets, Results], float] = {}

    def net(self, bets: Bets, results: Results) -> float:
        """What the player is up. bets: kind, antes staked, choice."""
        if (bets, results) not in self._known:
            placed = [
                self._game.accept(Slip(id=str(n), bet=bet, stake=ANTE * times, choice=choice))
                for n, (bet, times, choice) in enumerate(bets)
            ]
            lines = settle_round(placed, results)
            won = sum(line.win + line.back - line.stake for line in lines)
            self._known[bets, results] = won / ANTE
        return self._known[bets, results]


def _bets_played_for(times: int, *more: str) -> Bets:
    also = [(name, 1, None) for name in more]
    return (("ante", 1, None), ("bet", times, None), *also)


# --- Caribbean Stud: play A-K-J-8-3 and better (rulebook 9.2) ------------------------------------

ACE_KING_JACK_8_3 = (HIGH, 14, 13, 11, 8, 3)


def _caribbean(edition: str) -> Callable[[random.Random], float]:
    house = House(caribbean.GAMES[edition])

    def hand(source: random.Random) -> float:
        cards = tuple(source.sample(DECK, 10))
        player, bank = cards[:5], cards[5:]
        results = stud.results_of(player, bank, voided=False)
        plays = best_of(player) >= ACE_KING_JACK_8_3
        return house.net(_bets_played_for(2) if plays else FOLDED, results)

    return hand


# --- Four Card Poker: three antes when the bank is beaten half the time, one from a quarter on ---


@cache
def _banks() -> list[tuple[int, ...]]:
    source = random.Random("banks of six cards")
    return sorted(four_card.best_of(source.sample(DECK, 6)) for _ in range(20_000))


def _four_card() -> Callable[[random.Random], float]:
    house, banks = House(four_card.GAMES["hc2023"]), _banks()

    def hand(source: random.Random) -> float:
        cards = tuple(source.sample(DECK, 11))
        player, bank = cards[:5], cards[5:]
        results = four_card.results_of(player, bank, voided=False)
        # Equal hands win. A bet of k is worth k(2p - 1), a fold loses the ante.
        beaten = bisect_right(banks, four_card.best_of(player)) / len(banks)
        if beaten < 1 / 4:
            return house.net(FOLDED, results)
        return house.net(_bets_played_for(3 if beaten >= 1 / 2 else 1), results)

    return hand


# --- Casino Hold'em: call when it loses less than the ante, by trial of what may come ------------

# Trials at least and at most; enough when their mean is so many standard errors from a fold. With
# 24 in every hand one hand in eight is decided wrong, which costs 3 % of the ante.
TRIALS, MOST_TRIALS, SURE = 40, 600, 3


def _result_of_call(player: Hand, flop: Hand, rest: Sequence[str]) -> int:
    """What a call comes to in antes, with these four cards as turn, river and the bank's."""
    board = (*flop, *rest[:2])
    own, bank = best_of((*player, *board)), best_of((*rest[2:], *board))
    paid = casino_holdem.ANTE_PAYS.get(own[0], 1)
    if bank < casino_holdem.PAIR_OF_FOURS:
        return paid
    return paid + 2 if own > bank else 0 if own == bank else -3


def _calls(player: Hand, flop: Hand, unseen: Sequence[str], source: random.Random) -> bool:
    """Whether a call loses less than the ante, by as many trials as it takes to see."""
    total = squares = 0
    for count in range(1, MOST_TRIALS + 1):
        win = _result_of_call(player, flop, source.sample(unseen, 4)) + 1
        total += win
        squares += win * win
        if count >= TRIALS and not count % 20 and total * total > SURE * SURE * squares:
            break
    return total >= 0


def _casino_holdem() -> Callable[[random.Random], float]:
    house = House(casino_holdem.GAMES["hc2011"])

    def hand(source: random.Random) -> float:
        cards = tuple(source.sample(DECK, 52))
        player, flop, unseen = cards[:2], cards[2:5], cards[5:]
        results = casino_holdem.results_of(player, cards[2:7], cards[7:9], voided=False)
        plays = _hidden_pair(player, flop) or _calls(player, flop, unseen, source)
        return house.net(_bets_played_for(2) if plays else FOLDED, results)

    return hand


# --- Ultimate Texas Hold'em: the published strategy of the edge of 2.185 % -----------------------

# Lowest second card with which four antes are bet before the flop, suited and not.
BEFORE_FLOP = {14: (2, 2), 13: (2, 5), 12: (6, 8), 11: (8, 10)}
OUTS = 21
HIDDEN_TEN = 10


def _bets_four(own: Hand) -> bool:
    low, high = sorted(map(level, own))
    if low == high:
        return low >= 3
    suited, offsuit = BEFORE_FLOP.get(high, (15, 15))
    return low >= (suited if own[0][1] == own[1][1] else offsuit)


def _hidden_pair(own: Hand, board: Hand) -> bool:
    """Whether a pair or better has a card of the player's in it."""
    ranks = {card[0] for card in board}
    return own[0][0] == own[1][0] or any(card[0] in ranks for card in own)


def _bets_two(own: Hand, flop: Hand) -> bool:
    rank = best_of((*own, *flop))
    if rank[0] >= TWO_PAIR and rank[0] > _flop_alone(flop):
        return True
    if own[0][0] == own[1][0] == "2":
        return False
    if _hidden_pair(own, flop):
        return True
    suits = [card[1] for card in (*own, *flop)]
    four = [suit for suit in SUITS if suits.count(suit) == 4]
    return any(level(card) >= HIDDEN_TEN and card[1] in four for card in own)


def _flop_alone(flop: Hand) -> int:
    """Return the combination three cards have by themselves."""
    return {3: HIGH, 2: PAIR, 1: THREE}[len({card[0] for card in flop})]


def _bets_one(own: Hand, board: Hand, unseen: Sequence[str]) -> bool:
    """A hidden pair or better, or fewer than 21 cards that let the bank win by themselves."""
    rank = best_of((*own, *board))
    if rank[0] >= PAIR and _hidden_pair(own, board):
        return True
    return sum(best_of((*board, card)) > rank for card in unseen) < OUTS


def _ultimate() -> Callable[[random.Random], float]:
    house = House(ultimate.GAMES["hc2023"])
    folded: Bets = (("ante", 1, "fold"), ("blind", 1, "fold"))

    def hand(source: random.Random) -> float:
        cards = tuple(source.sample(DECK, 52))
        own, board, bank = cards[:2], cards[2:7], cards[7:9]
        results = ultimate.results_of(own, board, bank, voided=False)
        if _bets_four(own):
            bets = _bets_played_for(4, "blind")
        elif _bets_two(own, board[:3]):
            bets = _bets_played_for(2, "blind")
        else:
            bets = _bets_played_for(1, "blind") if _bets_one(own, board, cards[7:]) else folded
        return house.net(bets, results)

    return hand


GAMES: Mapping[str, tuple[float, Callable[[], Callable[[random.Random], float]]]] = {
    "caribbean hc2011": (0.0533, lambda: _caribbean("hc2011")),
    "caribbean hc2023": (0.0533, lambda: _caribbean("hc2023")),
    "caribbean gr2003": (0.0533, lambda: _caribbean("gr2003")),
    "casino_holdem": (0.0216, _casino_holdem),
    "four_card": (0.035, _four_card),
    "ultimate": (0.02185, _ultimate),
}
"""Edge of rulebook 9.2 to 9.6, and what plays a hand."""


def estimate(game: str, hands: int, seed: int) -> Estimate:
    """Play so many hands; the same seed plays the same ones."""
    source = random.Random(f"{seed}/{game.split()[0]}")
    play = GAMES[game][1]()
    won = squares = 0.0
    for _ in range(hands):
        net = play(source)
        won += net
        squares += net * net
    mean = won / hands
    return Estimate(hands, -mean, math.sqrt((squares / hands - mean * mean) / hands))


def main() -> None:
    """Print the edges asked for."""
    parser = argparse.ArgumentParser(description="Edges by Monte-Carlo.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--hands", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for game in options.games or GAMES:
        measured, published = estimate(game, options.hands, options.seed), GAMES[game][0]
        low, high = (100 * (measured.edge + sign * 1.96 * measured.error) for sign in (-1, 1))
        print(
            f"{game:<18}{100 * measured.edge:7.3f} % of the ante, 95 % of such runs within "
            f"{low:.3f} to {high:.3f}; published {100 * published:.3f} ({measured.hands} hands)",
            flush=True,
        )


if __name__ == "__main__":
    main()
