"""Diceball: two dice, runs of four throws without a 7. hc2023 4:3 (rulebook 7).

All bets but Seven Out stand until they are decided, and after a win too: "remain standing"; only
the Grand Slam is paid once (4:3(3), READING-23). So a winner's stake stays live; a player who
takes it down before the next throw does so without a settlement.

The state of a live stake counts its throws without 7: run1 to run3, slam1 to slam23.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from typing import Annotated

from msgspec import Meta

from tabletools.rules.citation import paying
from tabletools.rules.codes.bets import SELECTION_MISSING
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.dice import FACE, FACES, Face, Throw, TwoDice, dice_kind, reader_of, throws
from tabletools.rules.game import Choice, Game, Kind, State
from tabletools.rules.records import Schema
from tabletools.rules.selection import NOTHING, On, invalid
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import WIN, Verdict, lose, stand, verdict, win
from tabletools.rules.violation import RuleViolation, within

DICE = 2
RULE, VOID_ARTICLE = "hc2023 4:3(3)", "hc2023 4:1(3)"
RUN = 4
"""Throws without 7 that make a run."""
SLAM_PAYS = {3: 1, 4: 5, 5: 15, 6: 35}
"""Winnings per stake of the Grand Slam, by complete runs."""
SLAM_END = RUN * max(SLAM_PAYS)
MAX_THROWS = 10**6
_LOST, _STANDS = lose(RULE), stand(RULE)

Field = tuple[tuple[int, ...], ...]
"""A field of the Place Line: the combinations that win, each and all sorted from low to high."""


def _pays(odds: int) -> Verdict:
    """Winnings are paid and the stake remains standing (4:3(3))."""
    return verdict(WIN, paying(RULE, (odds, 1)), win=odds, live=1)


def seven_out(_on: On, throw: Throw) -> Verdict:
    """The next throw is a 7: 4:1, edge 6/36. The only bet that ends with every throw."""
    return win((4, 1), RULE) if sum(throw) == 7 else _LOST


def hard(on: On, throw: Throw) -> Verdict:
    """A double before a 7: 5:1, edge 1/7 of what is decided."""
    if sum(throw) == 7:
        return _LOST
    return _pays(5) if set(throw) == set(on) else _STANDS


def place(on: On, throw: Throw) -> Verdict:
    """One of the field's combinations before a 7: 1:1. One pair: edge 1/2; five ways: 1/11."""
    if sum(throw) == 7:
        return _LOST
    return _pays(1) if throw in on else _STANDS


def _run_line(done: int, throw: Throw) -> Verdict:
    """Four throws without 7: 1:1, edge 46/1296 a run. done: throws without 7 so far, 0 to 3."""
    if sum(throw) == 7:
        return _LOST
    return _pays(1) if done + 1 == RUN else stand(RULE, state=f"run{done + 1}")


def _grand_slam(done: int, throw: Throw) -> Verdict:
    """Complete runs when a 7 is thrown, or six of them: paid once (READING-21); edge 4.6912 %."""
    if sum(throw) == 7:
        odds = SLAM_PAYS.get(done // RUN)
        return win((odds, 1), RULE) if odds else _LOST
    if done + 1 == SLAM_END:
        return win((SLAM_PAYS[SLAM_END // RUN], 1), RULE)
    return stand(RULE, state=f"slam{done + 1}")


def state_of(name: str, done: int) -> State:
    """Return the state of a stake after this many throws without 7: null, run1, slam23."""
    return f"{name}{done}" if done else None


@dataclass(frozen=True, slots=True)
class PlaceFields:
    """Fields of the Place Line. printed: those on the table; empty when it lists none.

    READING-22: 4:3(3) says "specific combination, different number of pips", 4:3(1) leaves the
    options to the print of the table. So a field is any set of combinations with at least one of
    different faces, and without a total of 7, which loses.
    """

    printed: tuple[Field, ...] = ()

    def verify(self, kind: str, on: On) -> None:
        """Raise RuleViolation unless `on` is a field, and a printed one if there are any."""
        if not on:
            raise RuleViolation(SELECTION_MISSING, f"a {kind} is placed on combinations", "on")
        if on not in self.printed if self.printed else not is_field(on):
            where = "; on this table only printed fields" if self.printed else ""
            raise invalid(kind, self.needed + where)

    @property
    def needed(self) -> str:
        """What a selection is, in words."""
        return (
            "combinations, each of them and all from low to high, as [[1,2],[1,5]]; none"
            " of total 7; not doubles alone, which are a hard line"
        )


_COMBINATIONS = frozenset(
    pair for pair in combinations_with_replacement(FACES, DICE) if sum(pair) != 7
)


def is_field(on: Sequence[object]) -> bool:
    """Return whether `on` is a field: see PlaceFields."""
    combinations = [pair for pair in on if isinstance(pair, tuple) and pair in _COMBINATIONS]
    if not combinations or len(combinations) != len(on):
        return False
    return sorted(set(combinations)) == combinations and any(a != b for a, b in combinations)


def _counting(name: str, most: int, count: int | None) -> Kind:
    """Return a kind that counts throws without 7. count: as the table states, None if it does not.

    When the table states how many there were, the stake must be in that state.
    """
    decide = _run_line if name == "run" else _grand_slam
    possible = range(most) if count is None else range(count, min(count + 1, most))
    counts = {state_of(name, done): done for done in possible}

    @cache
    def verdicts(_on: On, state: State, _choice: Choice) -> tuple[Verdict, ...]:
        void = stand(VOID_ARTICLE, state=state)
        return (*[decide(counts[state], throw) for throw in throws(DICE)], void)

    return Kind(NOTHING, verdicts, states=tuple(counts))


KINDS = ("seven_out", "hard", "place", "run", "slam")


@lru_cache(64)  # a table with options asks at each bet
def diceball(fields: tuple[Field, ...] = (), thrown: int | None = None) -> Game:
    """Return the game as one table offers it.

    fields: of the Place Line, as printed on the table. thrown: throws without 7 since the last 7,
    not counting voids. With it a Grand Slam is accepted only before the shooter's first throw and
    a Run Line only at the beginning of a run; without it both count from when they were placed.
    """
    for place_of, field in enumerate(fields):
        if not is_field(field):
            with within(f"place[{place_of}]"):
                raise RuleViolation(
                    LIMITS_INVALID, "that is not a field of combinations without a 7"
                )
    if thrown is not None and not 0 <= thrown <= MAX_THROWS:
        what = f"throws without 7 are 0 to {MAX_THROWS}"
        raise RuleViolation(LIMITS_INVALID, what, "thrown")
    run = None if thrown is None else thrown % RUN
    kinds = {
        "seven_out": dice_kind(DICE, seven_out, VOID_ARTICLE),
        "hard": dice_kind(DICE, hard, VOID_ARTICLE, FACE),
        "place": dice_kind(DICE, place, VOID_ARTICLE, PlaceFields(fields)),
        "run": _counting("run", RUN, run),
        "slam": _counting("slam", SLAM_END, thrown),
    }
    return Game("diceball", "hc2023", kinds, KINDS, "hc2023 4:3(1)")


GAMES: Mapping[str, Game] = {"hc2023": diceball()}
"""By edition; a table that prints fields or counts throws has a separate game."""

_Pair = Annotated[
    tuple[Face, ...],
    Meta(description="Low to high.", extra_json_schema={"minItems": 2, "maxItems": 2}),
]


class DiceballTable(Table, frozen=True, kw_only=True):
    """Limits, the Place Line, and the throws of the present series."""

    place: Annotated[
        tuple[Annotated[tuple[_Pair, ...], Meta(extra_json_schema={"minItems": 1})], ...] | None,
        Meta(description="Fields of the Place Line as printed; left out: any combinations."),
    ] = None
    thrown: Annotated[
        int | None,
        Meta(
            description="Throws without 7 so far; left out: bets count from their placement.",
            extra_json_schema={"minimum": 0, "maximum": MAX_THROWS},
        ),
    ] = None


def _at_table(_game: Game, table: DiceballTable) -> Game:
    return diceball(table.place or (), table.thrown)


_FIELD: Schema = {
    "type": "array",
    "items": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 6},
        "minItems": 2,
        "maxItems": 2,
    },
    "minItems": 1,
}

GAME = TableGame(
    name="diceball",
    measured="slip",
    dice=DICE,
    games=without_variants(GAMES),
    outcome=TwoDice,
    table=DiceballTable,
    read_outcome=reader_of(DICE),
    example=([{"id": "1", "bet": "slam", "stake": 500, "state": "slam11"}], {"dice": [2, 4]}),
    on_schemas={"place": _FIELD},
    at_table=_at_table,
)
