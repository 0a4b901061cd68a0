"""Sic Bo: three dice. hc2023 4:2, hc2011 4:1 (rulebook 5).

The editions differ in three prices: the single die on all three dice, totals 9 and 12, doubles.
Edges are given as (hc2023 / hc2011) where they differ.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import product
from typing import NamedTuple

from tabletools.rules.dice import (
    FACE,
    TWO_FACES,
    ThreeDice,
    Throw,
    dice_kind,
    paired_total,
    reader_of,
    totals,
)
from tabletools.rules.game import Game, Kind, PrintedTable
from tabletools.rules.selection import NOTHING, On, Selections
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, win

DICE = 3


class Prices(NamedTuple):
    """Winnings per stake. single: by how many dice show the face. totals: of 4 to 10; 11 to 17
    pay as the opposite total, 21 less."""

    single: Mapping[int, int]
    double: int
    totals: Mapping[int, int]


_TOTALS = {4: 60, 5: 30, 6: 18, 7: 12, 8: 8, 9: 7, 10: 6}
PRICES_2023 = Prices({1: 1, 2: 2, 3: 3}, 10, _TOTALS)
PRICES_2011 = Prices({1: 1, 2: 2, 3: 12}, 11, {**_TOTALS, 9: 6})

Pays = Callable[[Prices, On, Throw], int]
"""Winnings per stake of a selection at a throw; 0 when it loses."""


def _is_triple(throw: Throw) -> bool:
    return len(set(throw)) == 1


def small(_prices: Prices, _on: On, throw: Throw) -> int:
    """Total 4 to 10, loses on any triple (READING-48): 1:1, edge 6/216."""
    return 1 if sum(throw) <= 10 and not _is_triple(throw) else 0


def big(_prices: Prices, _on: On, throw: Throw) -> int:
    """Total 11 to 17, loses on any triple (READING-48): 1:1, edge 6/216."""
    return 1 if sum(throw) >= 11 and not _is_triple(throw) else 0


def single(prices: Prices, on: On, throw: Throw) -> int:
    """A face: paid once, by how many dice show it; edge 17/216 / 8/216."""
    return prices.single.get(sum(face in on for face in throw), 0)


def two(_prices: Prices, on: On, throw: Throw) -> int:
    """Two different faces, both shown: 6:1, paid once; edge 6/216."""
    return 6 if set(on) <= set(throw) else 0


def total(prices: Prices, on: On, throw: Throw) -> int:
    """One total from 4 to 17, triples count: 60:1 down to 6:1 (9 and 12: 7:1 / 6:1)."""
    return prices.totals[min(sum(throw), 21 - sum(throw))] if sum(throw) in on else 0


def double(prices: Prices, on: On, throw: Throw) -> int:
    """A face on at least two dice, including its triple (READING-18): edge 40/216 / 24/216."""
    return prices.double if sum(face in on for face in throw) >= 2 else 0


def any_triple(_prices: Prices, _on: On, throw: Throw) -> int:
    """Three alike: 30:1, edge 30/216."""
    return 30 if _is_triple(throw) else 0


def specific_triple(_prices: Prices, on: On, throw: Throw) -> int:
    """Three of a face: 180:1, edge 35/216."""
    return 180 if set(throw) == set(on) else 0


KINDS: Mapping[str, tuple[Pays, Selections]] = {
    "small": (small, NOTHING),
    "big": (big, NOTHING),
    "single": (single, FACE),
    "two": (two, TWO_FACES),
    "total": (total, totals(4, 17)),
    "double": (double, FACE),
    "any_triple": (any_triple, NOTHING),
    "specific_triple": (specific_triple, FACE),
}

_EUROS_2011 = {
    "small": (1800, 1800, 3600, 7200, 7200),
    "big": (1800, 1800, 3600, 7200, 7200),
    "single": (150, 150, 300, 600, 600),
    "two": (300, 300, 600, 1200, 1200),
    "double": (160, 160, 320, 640, 640),
    "any_triple": (60, 60, 120, 240, 240),
    "specific_triple": (10, 10, 20, 40, 40),
    "total_4_17": (30, 30, 60, 120, 120),
    "total_5_16": (60, 60, 120, 240, 240),
    "total_6_15": (100, 100, 200, 400, 400),
    "total_7_14": (150, 150, 300, 600, 600),
    "total_8_13": (225, 225, 450, 900, 900),
    "total_9_12": (300, 300, 600, 1200, 1200),
    "total_10_11": (300, 300, 600, 1200, 1200),
}
_LIMITS_2011 = PrintedTable("4:1(5)", ((200,), (250,), (500,), (750,), (1000,)), _EUROS_2011)


def _kind(name: str, prices: Prices, rule: str, void_article: str) -> Kind:
    pays, selections = KINDS[name]
    lost, won = lose(rule), cache(partial(_won, rule))

    def decide(on: On, throw: Throw) -> Verdict:
        odds = pays(prices, on, throw)
        return won(odds) if odds else lost

    row = partial(paired_total, sum_of_pair=21) if name == "total" else None
    return dice_kind(DICE, decide, void_article, selections, row)


def _won(rule: str, odds: int) -> Verdict:
    return win((odds, 1), rule)


def _game(
    edition: str, prices: Prices, articles: str, printed: PrintedTable | None = None
) -> Game:
    """Build one edition. articles: bets, void, offer."""
    bets, void, offer = (f"{edition} {article}" for article in articles.split())
    kinds = {name: _kind(name, prices, bets, void) for name in KINDS}
    return Game("sic_bo", edition, kinds, tuple(_EUROS_2011), offer, printed)


def games() -> dict[str, Game]:
    """Build the game, by edition."""
    return {
        "hc2011": _game("hc2011", PRICES_2011, "4:1(4) 4:1(3) 4:1(1)", _LIMITS_2011),
        "hc2023": _game("hc2023", PRICES_2023, "4:2(3) 4:1(3) 4:2(1)"),
    }


def _throws(_edition: str, _variant: str | None) -> list[dict[str, object]]:
    return [{"dice": list(dice)} for dice in product(range(1, 7), repeat=DICE)]


GAMES: Mapping[str, Game] = games()
"""By edition."""

GAME = TableGame(
    name="sic_bo",
    measured="slip",
    dice=DICE,
    equally_likely=_throws,
    games=without_variants(GAMES),
    outcome=ThreeDice,
    table=Table,
    read_outcome=reader_of(DICE),
    example=([{"id": "1", "bet": "total", "on": [9], "stake": 500}], {"dice": [1, 3, 5]}),
)
