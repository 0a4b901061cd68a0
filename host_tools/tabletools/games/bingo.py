"""Bingo with 75, 80 or 90 balls. hc2023 5:1 (rulebook 12.1).

A card is its rows, from above, 0 where there is no number. Balls are drawn until a card has the
pattern; all cards that complete it with that ball share the prize.

A record has the cards in play, the balls drawn, one pattern and its prize.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta

from tabletools.rules import amounts, records
from tabletools.rules.amounts import KEY, came_to, decided, only_bet, undecided, verify_price
from tabletools.rules.bets import CompiledBet
from tabletools.rules.citation import over
from tabletools.rules.codes.bets import (
    GAME_NOT_IN_RULES,
    SELECTION_INVALID,
    UNKNOWN_BET,
    UNKNOWN_VARIANT,
)
from tabletools.rules.codes.fields import MISSING_FIELD
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID, NOT_WHOLE_CENTS
from tabletools.rules.declared import Declared, Stake, Text, replaced
from tabletools.rules.money import verify_stake
from tabletools.rules.records import Drawing, Round, placed
from tabletools.rules.verdict import void
from tabletools.rules.violation import RuleViolation, shown, within

Card = tuple[tuple[int, ...], ...]
Line = frozenset[int]
Pattern = Callable[[Card], list[Line]]
"""The sets of numbers one of which completes the pattern."""


class Form(NamedTuple):
    """A card of one variant.

    numbers: in all. each: numbers in a row, None where all cells are used.
    """

    rows: int
    columns: int
    numbers: int
    each: int | None


FORMS: Mapping[str, Form] = {
    "75": Form(5, 5, 24, None),
    "80": Form(4, 4, 16, None),
    "90": Form(3, 9, 15, 5),
}


def _numbers(cells: Sequence[int]) -> Line:
    return frozenset(cells) - {0}


def _rows(card: Card) -> list[Line]:
    return [_numbers(row) for row in card]


def _columns(card: Card) -> list[Line]:
    return [_numbers(column) for column in zip(*card, strict=True)]


def _all(card: Card) -> list[Line]:
    return [frozenset().union(*_rows(card))]


def _x(card: Card) -> list[Line]:
    last = len(card) - 1
    return [_numbers([row[column] for i, row in enumerate(card) for column in (i, last - i)])]


def _frame(card: Card) -> list[Line]:
    sides = [side for row in card for side in (row[0], row[-1])]
    return [_numbers([*card[0], *card[-1], *sides])]


PATTERNS: Mapping[str, Pattern] = {
    "row": _rows,
    "column": _columns,
    "x": _x,
    "frame": _frame,
    "black_out": _all,
    "full_card": _all,
}
"""hc2023 5:1(8); the list is not exhaustive, a table may define other patterns by their cells."""


def cells_pattern(cells: Sequence[Sequence[int]]) -> Pattern:
    """Return the pattern of these cells, [row, column] from 1."""

    def pattern(card: Card) -> list[Line]:
        return [_numbers([card[row - 1][column - 1] for row, column in cells])]

    return pattern


def pattern_of(name: str, variant: str) -> Pattern:
    """Return a pattern by name; raise RuleViolation if the variant has no pattern of that name."""
    if name not in PATTERNS:
        what = f"there is no pattern {shown(name)}; known: {' '.join(PATTERNS)}"
        raise RuleViolation(LIMITS_INVALID, what, "pattern")
    if name == "x" and FORMS[variant].rows != FORMS[variant].columns:
        raise RuleViolation(LIMITS_INVALID, "an X needs a square card", "pattern")
    return PATTERNS[name]


def verify_cells(cells: Sequence[Sequence[int]], variant: str) -> None:
    """Raise RuleViolation unless all are cells of the card."""
    form = FORMS[variant]
    for cell in cells:
        inside = len(cell) == 2 and 1 <= cell[0] <= form.rows and 1 <= cell[1] <= form.columns
        if not inside:
            what = f"a cell is [row, column] of {form.rows} rows and {form.columns} columns"
            raise RuleViolation(LIMITS_INVALID, what, "pattern")
    if not cells:
        raise RuleViolation(LIMITS_INVALID, "a pattern has cells", "pattern")


def verify_card(card: Card, variant: str) -> None:
    """Raise RuleViolation unless the card is one of the variant (5:1(3)-(5))."""
    form, highest = FORMS[variant], int(variant)
    numbers = [n for row in card for n in row if n]
    shaped = len(card) == form.rows and {len(row) for row in card} == {form.columns}
    if not shaped or len(numbers) != form.numbers or len(set(numbers)) != form.numbers:
        what = f"a card has {form.rows} rows of {form.columns}, {form.numbers} numbers, else 0"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    if not all(1 <= n <= highest for n in numbers):
        raise RuleViolation(SELECTION_INVALID, f"its numbers are from 1 to {highest}", "on")
    if variant == "75" and card[2][2]:
        raise RuleViolation(SELECTION_INVALID, "there is no number in the middle", "on")
    if form.each and any(sum(map(bool, row)) != form.each for row in card):
        raise RuleViolation(SELECTION_INVALID, f"each row has {form.each} numbers", "on")


def winners(
    cards: Sequence[Card], drawn: Sequence[int], variant: str, pattern: Pattern
) -> list[int]:
    """Return the indexes of the cards that complete the pattern with the last ball.

    Raises RuleViolation if balls repeat or do not belong to the variant, if a card had the pattern
    before the last ball, or if none has it: balls are drawn until there is a bingo (5:1(7)). If no
    card plays there is no winner.
    """
    if len(set(drawn)) != len(drawn) or not all(1 <= ball <= int(variant) for ball in drawn):
        raise RuleViolation(
            DEAL_NOT_BY_RULE, f"balls 1 to {variant} are drawn, each once", "drawn"
        )
    place_of = {ball: place for place, ball in enumerate(drawn)}
    never = len(drawn)
    done = [
        min(max((place_of.get(n, never) for n in line), default=never) for line in pattern(card))
        for card in cards
    ]
    first = min(done, default=never)
    if not cards:
        return []
    if first == never:
        raise RuleViolation(DEAL_INCOMPLETE, "no card has the pattern yet", "drawn")
    if first < len(drawn) - 1:
        what = f"a card had the pattern with ball {first + 1}, drawn were {len(drawn)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")
    return [place for place, last in enumerate(done) if last == first]


BET = "card"
_LOST, _OTHER_ROUND, _PAID, _SHARED, _VOID = (
    f"hc2023 5:1({n})" for n in ("7", "6", "9", "10", "7")
)
_Number = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 90})]
_Rows = tuple[tuple[_Number, ...], ...]
_PatternName = Annotated[Text, Meta(extra_json_schema={"enum": list(PATTERNS)})]


class BingoCard(amounts.Bet, frozen=True, kw_only=True):
    """A card that was bought."""

    on: Annotated[_Rows, Meta(description="Rows from above, 0 where there is no number.")]
    round: Annotated[Text | None, Meta(description="Printed on the card.")] = None


class BingoOutcome(records.Outcome, frozen=True, kw_only=True):
    """The balls drawn."""

    drawn: Annotated[tuple[_Number, ...] | None, Meta(description="In order.")] = None


class BingoJackpot(Declared, frozen=True, kw_only=True):
    """A jackpot beside the prize, for a bingo with few balls."""

    balls: Annotated[
        int,
        Meta(
            description="Most balls drawn with which it is won.",
            extra_json_schema={"minimum": 1, "maximum": 90},
        ),
    ]
    amount: Annotated[Stake, Meta(description="Cents; of a progressive one, what it shows.")]


class BingoTable(Declared, frozen=True, kw_only=True):
    """The prize, and how it is shared."""

    pattern: Annotated[
        _PatternName | _Rows,
        Meta(description="By name, or its cells as [row, column] from 1."),
    ]
    prize: Stake
    share_by_card: Annotated[
        bool | None, Meta(description="Winning cards share, not players; left out: players.")
    ] = None
    round_up: Annotated[
        bool | None, Meta(description="A share goes up to a whole cent; left out: refused.")
    ] = None
    price: Annotated[Stake | None, Meta(description="Cents each card costs; left out: any.")] = (
        None
    )
    jackpots: Annotated[
        tuple[BingoJackpot, ...] | None,
        Meta(description="Each is paid with the prize if its number of balls was not exceeded."),
    ] = None

    def paid(self, balls: int) -> int:
        """Return what a bingo with this many balls is paid, cents (5:1(9))."""
        return self.prize + sum(each.amount for each in self.jackpots or () if balls <= each.balls)


class Record(records.Record, frozen=True, kw_only=True):
    """Cards of one round of bingo."""

    variant: Annotated[Text, Meta(extra_json_schema={"enum": list(FORMS)})]
    bets: tuple[BingoCard, ...]
    round: Annotated[Text | None, Meta(description="Cards of another round do not play.")] = None
    outcome: BingoOutcome
    table: BingoTable


def _card(card: BingoCard, variant: str) -> CompiledBet:
    if card.bet != BET:
        raise RuleViolation(UNKNOWN_BET, f"the only bet is {BET}", "bet")
    verify_card(card.on, variant)
    return replaced(undecided(card, card.on), state=card.round)


def _pattern(pattern: str | _Rows, variant: str) -> Pattern:
    if isinstance(pattern, str):
        return pattern_of(pattern, variant)
    verify_cells(pattern, variant)
    return cells_pattern(pattern)


def _shares(
    winners: Sequence[CompiledBet], prize: int, *, by_card: bool, round_up: bool
) -> list[int]:
    """Return cents by winning card: equal shares by player, then over the player's cards."""
    if len(winners) > 1 and not by_card:
        for bet in winners:
            if bet.player is None:
                what = f"player of bet {shown(bet.id)} is missing, and players share the prize"
                raise RuleViolation(MISSING_FIELD, what, "bets")
    whose = [bet.id if by_card else bet.player for bet in winners]
    cards = Counter(whose)
    if cards and prize % len(cards) and not round_up:
        what = f"the prize {prize} does not divide by {len(cards)}, and no article rounds it"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "table.prize")
    share = -(-prize // len(cards)) if cards else 0
    # A remainder over a player's cards goes to the first of them, so that the player's share is
    # whole.
    left = {player: share % count for player, count in cards.items()}
    return [share // cards[player] + left.pop(player, 0) for player in whose]


def _verify_jackpots(table: BingoTable, variant: str) -> None:
    for place, jackpot in enumerate(table.jackpots or ()):
        with within(f"jackpots[{place}]"):
            if not 1 <= jackpot.balls <= int(variant):
                what = f"{jackpot.balls} balls; allowed: 1 to the {variant} of the variant"
                raise RuleViolation(LIMITS_INVALID, what, "balls")
            with within("amount"):
                verify_stake(jackpot.amount)


def _verify_variant(record: Record) -> None:
    if record.rules != "hc2023":
        raise RuleViolation(GAME_NOT_IN_RULES, "bingo is in hc2023 only", "rules")
    if record.variant not in FORMS:
        what = f"variant {shown(record.variant)} is not one of bingo: {' '.join(FORMS)}"
        raise RuleViolation(UNKNOWN_VARIANT, what, "variant")


def _verify_rounds(record: Record) -> None:
    """Raise RuleViolation where only some of the record and its cards name a round."""
    named = record.round is not None
    for place, card in enumerate(record.bets):
        if named and card.round is None:
            what = "the record names its round, and this card does not: whether it plays is open"
            raise RuleViolation(MISSING_FIELD, what, f"bets[{place}].round")
        if not named and card.round is not None:
            what = f"bets[{place}] is a card of round {shown(card.round)}, the record names none"
            raise RuleViolation(MISSING_FIELD, what, "round")


def _play(record: Record) -> Round:
    """Return the cards with what each is paid."""
    _verify_variant(record)
    table, variant = record.table, record.variant
    with within("table"):
        pattern = _pattern(table.pattern, variant)
        with within("prize"):
            verify_stake(table.prize)
        _verify_jackpots(table, variant)
    bets = placed(record.bets, lambda card: _card(card, variant))
    _verify_rounds(record)
    verify_price(bets, table.price, "a card")
    if not record.outcome.has_result():
        return Round([decided(bet, void(_VOID)) for bet in bets], KEY)
    playing = [bet for bet in bets if bet.state == record.round]
    with within("outcome"):
        drawn = record.outcome.drawn or ()
        places = winners([bet.chance for bet in playing], drawn, variant, pattern)
    won = [playing[place] for place in places]
    shares = _shares(
        won,
        table.paid(len(drawn)),
        by_card=table.share_by_card or False,
        round_up=table.round_up or False,
    )
    won_by = dict(zip([bet.id for bet in won], shares, strict=True))
    paid = over(_SHARED, _PAID) if len(won) > 1 else _PAID
    settled = []
    for bet in bets:
        rule = paid if bet.id in won_by else _LOST if bet in playing else _OTHER_ROUND
        settled.append(came_to(replaced(bet, state=None), rule, win=won_by.get(bet.id, 0)))
    return Round(settled, KEY)


_EXAMPLE = {
    "rules": "hc2023",
    "game": "bingo",
    "variant": "80",
    "bets": [
        {
            "id": "1",
            "bet": BET,
            "on": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]],
            "stake": 200,
        }
    ],
    "outcome": {"drawn": [4, 3, 77, 1, 2]},
    "table": {"pattern": "row", "prize": 50000},
}
GAME = records.RecordGame(
    name="bingo",
    measured="player",
    drawing=Drawing(is_in_order=True),
    record=Record,
    play=_play,
    constraints={
        "properties": {"rules": {"const": "hc2023"}, "bets": only_bet(BET)},
        "examples": [_EXAMPLE],
    },
)
