"""Casino Barbut: two dice, two bets against each other. hc2023 4:4 (rulebook 8).

One group of throws wins for A and loses for B, the other the reverse; the other 26 of 36 decide
nothing (READING-24).
"""

from collections.abc import Mapping
from functools import partial

from tabletools.rules.dice import Throw, TwoDice, dice_kind, reader_of
from tabletools.rules.game import Game, Kind
from tabletools.rules.money import Odds
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, stand, win

DICE = 2
EVEN: Odds = (1, 1)
HALF: Odds = (1, 2)
"""1-1 and 6-6 pay 0.5:1, so an odd stake would come to half a cent: stakes are even."""

GROUPS: Mapping[str, Mapping[Throw, Odds]] = {
    "A": {(1, 1): HALF, (2, 2): EVEN, (4, 4): EVEN, (1, 2): EVEN},
    "B": {(3, 3): EVEN, (5, 5): EVEN, (6, 6): HALF, (5, 6): EVEN},
}
"""4:4(3), with the prices of 4:4(4). Edge 5 % of what is decided, 1/72 of a throw, both alike."""
_BETS, _PRICES = "hc2023 4:4(3)", "hc2023 4:4(4), 4:4(3)"


def _decide(name: str, _on: On, throw: Throw) -> Verdict:
    if throw in GROUPS[name]:
        return win(GROUPS[name][throw], _PRICES)
    return lose(_BETS) if any(throw in group for group in GROUPS.values()) else stand(_BETS)


def _kind(name: str) -> Kind:
    return dice_kind(DICE, partial(_decide, name), "hc2023 4:1(3)", unit=HALF[1])


GAMES: Mapping[str, Game] = {
    "hc2023": Game(
        "barbut", "hc2023", {name: _kind(name) for name in GROUPS}, ("A", "B"), "hc2023 4:4(1)"
    )
}
"""By edition."""

GAME = TableGame(
    name="barbut",
    measured="slip",
    dice=DICE,
    games=without_variants(GAMES),
    outcome=TwoDice,
    table=Table,
    read_outcome=reader_of(DICE),
    example=([{"id": "1", "bet": "A", "stake": 500}], {"dice": [1, 1]}),
)
