"""Bingo rounds as records: the cards in play, the balls drawn, one pattern and its prize."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from tabletools.rules import amounts, bingo, records
from tabletools.rules.amounts import KEY, came_to, decided, only_bet, undecided, verify_price
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import GAME_NOT_IN_RULES, UNKNOWN_BET, UNKNOWN_VARIANT
from tabletools.rules.codes.stakes import NOT_WHOLE_CENTS
from tabletools.rules.declared import Declared, Stake, Text, replaced
from tabletools.rules.money import verify_stake
from tabletools.rules.records import Round, placed
from tabletools.rules.verdict import void
from tabletools.rules.violation import RuleViolation, shown, within

BET = "card"
_LOST, _OTHER_ROUND, _PAID, _SHARED, _VOID = (
    f"hc2023 5:1({n})" for n in ("7", "6", "9", "10", "7")
)
_Number = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 90})]
_Rows = tuple[tuple[_Number, ...], ...]
_PatternName = Annotated[Text, Meta(extra_json_schema={"enum": list(bingo.PATTERNS)})]


class BingoCard(amounts.Bet, frozen=True, kw_only=True):
    """A card that was bought."""

    on: Annotated[_Rows, Meta(description="Rows from above, 0 where there is no number.")]
    round: Annotated[Text | None, Meta(description="Printed on the card.")] = None


class BingoOutcome(records.Outcome, frozen=True, kw_only=True):
    """The balls drawn."""

    drawn: Annotated[tuple[_Number, ...] | None, Meta(description="In order.")] = None


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


class Record(records.Record, frozen=True, kw_only=True):
    """Cards of one round of bingo."""

    variant: Annotated[Text, Meta(extra_json_schema={"enum": list(bingo.FORMS)})]
    bets: tuple[BingoCard, ...]
    round: Annotated[Text | None, Meta(description="Cards of another round do not play.")] = None
    outcome: BingoOutcome
    table: BingoTable


def _card(card: BingoCard, variant: str) -> CompiledBet:
    if card.bet != BET:
        raise RuleViolation(UNKNOWN_BET, f"the only bet is {BET}", "bet")
    bingo.verify_card(card.on, variant)
    return replaced(undecided(card, card.on), state=card.round)


def _pattern(pattern: str | _Rows, variant: str) -> bingo.Pattern:
    if isinstance(pattern, str):
        return bingo.pattern_of(pattern, variant)
    bingo.verify_cells(pattern, variant)
    return bingo.cells_pattern(pattern)


def _shares(
    winners: Sequence[CompiledBet], prize: int, *, by_card: bool, round_up: bool
) -> list[int]:
    """Return cents by winning card: equal shares by player, then over the player's cards."""
    whose = [bet.id if by_card or bet.player is None else (bet.player,) for bet in winners]
    cards = Counter(whose)
    if cards and prize % len(cards) and not round_up:
        what = f"the prize {prize} does not divide by {len(cards)}, and no article rounds it"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "table.prize")
    share = -(-prize // len(cards)) if cards else 0
    # A remainder over a player's cards goes to the first of them, so that the player's share is
    # whole.
    left = {player: share % count for player, count in cards.items()}
    return [share // cards[player] + left.pop(player, 0) for player in whose]


def _verify_variant(record: Record) -> None:
    if record.rules != "hc2023":
        raise RuleViolation(GAME_NOT_IN_RULES, "bingo is in hc2023 only", "rules")
    if record.variant not in bingo.FORMS:
        what = f"variant {shown(record.variant)} is not one of bingo: {' '.join(bingo.FORMS)}"
        raise RuleViolation(UNKNOWN_VARIANT, what, "variant")


def _play(record: Record) -> Round:
    """Return the cards with what each is paid."""
    _verify_variant(record)
    table, variant = record.table, record.variant
    with within("table"):
        pattern = _pattern(table.pattern, variant)
        with within("prize"):
            verify_stake(table.prize)
    bets = placed(record.bets, lambda card: _card(card, variant))
    verify_price(bets, table.price, "a card")
    if not record.outcome.has_result():
        return Round([decided(bet, void(_VOID)) for bet in bets], KEY)
    playing = [bet for bet in bets if bet.state == record.round]
    with within("outcome"):
        drawn = record.outcome.drawn or ()
        places = bingo.winners([bet.chance for bet in playing], drawn, variant, pattern)
    won = [playing[place] for place in places]
    shares = _shares(
        won,
        table.prize,
        by_card=table.share_by_card or False,
        round_up=table.round_up or False,
    )
    won_by = dict(zip([bet.id for bet in won], shares, strict=True))
    paid = _SHARED if len(won) > 1 else _PAID
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
BINGO = records.RecordGame(
    name="bingo",
    record=Record,
    play=_play,
    constraints={
        "properties": {"rules": {"const": "hc2023"}, "bets": only_bet(BET)},
        "examples": [_EXAMPLE],
    },
)
