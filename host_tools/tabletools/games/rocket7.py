"""Rocket 7: Sic Bo with two dice. hc2011 4:1(4) (rulebook 6)."""

from collections.abc import Callable, Mapping
from functools import partial

from tabletools.rules.dice import FACE, Throw, TwoDice, dice_kind, paired_total, reader_of, totals
from tabletools.rules.game import Game, PrintedTable
from tabletools.rules.selection import NOTHING, On, OneOf, Selections
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, push, win

DICE = 2
RULE = "hc2011 4:1(4)"
_LOST, _PUSHED = lose(RULE), push(RULE)
_PAID = {odds: win((odds, 1), RULE) for odds in (1, 2, 4, 6, 7, 10, 16, 32)}
_TOTALS = {3: 16, 4: 10, 5: 7, 6: 6}

SEVENS = OneOf("a combination of total 7, as [1,6]", ((1, 6), (2, 5), (3, 4)))

Decide = Callable[[On, Throw], Verdict]


def _when(odds: int, *, holds: bool) -> Verdict:
    return _PAID[odds] if holds else _LOST


def low(_on: On, throw: Throw) -> Verdict:
    """Total 3 to 6: 1:1; 2 and 7 push, 12 loses (READING-19); edge 1/36."""
    if sum(throw) in (2, 7):
        return _PUSHED
    return _when(1, holds=sum(throw) <= 6)


def high(_on: On, throw: Throw) -> Verdict:
    """Total 8 to 11: 1:1; 12 and 7 push, 2 loses (READING-19); edge 1/36."""
    if sum(throw) in (12, 7):
        return _PUSHED
    return _when(1, holds=sum(throw) >= 8)


def single(on: On, throw: Throw) -> Verdict:
    """A face on one die 2:1, on both 4:1; edge 1/36."""
    return _when(4 if set(throw) == set(on) else 2, holds=set(on) <= set(throw))


def any_double(_on: On, throw: Throw) -> Verdict:
    """Both dice alike: 4:1, edge 6/36."""
    return _when(4, holds=throw[0] == throw[1])


def double(on: On, throw: Throw) -> Verdict:
    """A face on both dice: 32:1, edge 3/36."""
    return _when(32, holds=set(throw) == set(on))


def any7(_on: On, throw: Throw) -> Verdict:
    """Total 7: 4:1, edge 6/36."""
    return _when(4, holds=sum(throw) == 7)


def specific7(on: On, throw: Throw) -> Verdict:
    """One combination of total 7: 16:1, edge 2/36."""
    return _when(16, holds=throw == on)


def total(on: On, throw: Throw) -> Verdict:
    """One total from 3 to 11 except 7, each a separate bet: 16:1, 10:1, 7:1 or 6:1."""
    thrown = sum(throw)
    return _PAID[_TOTALS[min(thrown, 14 - thrown)]] if thrown in on else _LOST


_SPLIT_TOTALS = OneOf(
    "one total from 3 to 6 or 8 to 11, as [3]",
    tuple(on for on in totals(3, 11).all if on != (7,)),
)
KINDS: Mapping[str, tuple[Decide, Selections]] = {
    "low": (low, NOTHING),
    "high": (high, NOTHING),
    "single": (single, FACE),
    "any_double": (any_double, NOTHING),
    "double": (double, FACE),
    "any7": (any7, NOTHING),
    "specific7": (specific7, SEVENS),
    "total": (total, _SPLIT_TOTALS),
}

_SIDES, _OTHERS = (2000, 2000, 5000, 10000, 10000), (200, 200, 500, 1000, 1000)
# The rows of 3/11, 4/10 and 5/9 are printed empty: one cell with 6/8 (READING-12).
_EUROS = {
    "low": _SIDES,
    "high": _SIDES,
    **dict.fromkeys(("single", "any_double", "double", "any7", "specific7"), _OTHERS),
    **dict.fromkeys(("total_3_11", "total_4_10", "total_5_9", "total_6_8"), _OTHERS),
}
_LIMITS = PrintedTable("4:1(5)", ((200,), (250,), (500,), (750,), (1000, 2000, 5000)), _EUROS)


def _game() -> Game:
    pair = partial(paired_total, sum_of_pair=14)
    kinds = {
        name: dice_kind(
            DICE, decide, "hc2011 4:1(3)", selections, pair if name == "total" else None
        )
        for name, (decide, selections) in KINDS.items()
    }
    return Game("rocket7", "hc2011", kinds, tuple(_EUROS), "hc2011 4:1(1)", _LIMITS)


GAMES: Mapping[str, Game] = {"hc2011": _game()}
"""By edition."""

GAME = TableGame(
    name="rocket7",
    measured="slip",
    dice=DICE,
    games=without_variants(GAMES),
    outcome=TwoDice,
    table=Table,
    read_outcome=reader_of(DICE),
    example=([{"id": "1", "bet": "specific7", "on": [1, 6], "stake": 500}], {"dice": [1, 6]}),
)
