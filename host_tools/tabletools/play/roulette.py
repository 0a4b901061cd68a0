"""Players of roulette with habits: the bets they request, drawn from a seed.

They know no frame, and of the rules only the cloth.
"""

import random
from dataclasses import dataclass

from tabletools.games.roulette import RouletteRules
from tabletools.play.players import Bet, bet

# name: the kinds of bets this player prefers.
HABITS = {
    "Ada": ("red", "black", "even", "odd", "low", "high", "dozen"),
    "Ben": ("straight", "split", "street", "corner", "six_line"),
    "Cleo": ("top_line", "column", "corner", "straight", "red"),
}
CHIP_CENTS = 500


@dataclass
class Player:
    """One player; the same seed gives the same bets."""

    name: str
    kinds: tuple[str, ...]
    rng: random.Random

    def bets(self, rules: RouletteRules) -> list[Bet]:
        """One to three bets, stakes of 1 to 10 chips, as records of a round without an id."""
        return [self._bet(rules) for _ in range(self.rng.randint(1, 3))]

    def _bet(self, rules: RouletteRules) -> Bet:
        kind = self.rng.choice([kind for kind in self.kinds if kind in rules.odds])
        position = self.rng.choice(rules.wheel.positions[kind])
        stake = CHIP_CENTS * self.rng.randint(1, 10)
        if position.index is not None:
            return bet(self.name, kind, stake, index=position.index)
        if len(position.numbers) < 12:
            return bet(self.name, kind, stake, numbers=list(position.numbers))
        return bet(self.name, kind, stake)


def bets_of(players: list[Player], rules: RouletteRules) -> list[Bet]:
    """Return the bets of all players for one round."""
    return [bet for player in players for bet in player.bets(rules)]


def seeded_players(seed: int) -> list[Player]:
    """Return the players of a session."""
    return [Player(name, kinds, random.Random(f"{seed}/{name}")) for name, kinds in HABITS.items()]
