"""Bingo rounds as records: the cards that play, the balls drawn, one pattern and its prize."""

from collections import Counter
from collections.abc import Sequence

from tabletools.rules import bingo
from tabletools.rules.bets import Placed
from tabletools.rules.codes.bets import (
    GAME_NOT_IN_RULES,
    SELECTION_INVALID,
    UNKNOWN_BET,
    UNKNOWN_VARIANT,
)
from tabletools.rules.codes.stakes import ABOVE_MAXIMUM, BELOW_MINIMUM, NOT_WHOLE_CENTS
from tabletools.rules.money import MAX_STAKE, verify_stake
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import void
from tabletools.settle.amounts import KEY, bet_of, came_to, decided
from tabletools.settle.records import ROUND_FIELDS, Round, read_bets, read_outcome
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, boolean, one_bet_schema

BET = "card"
OPTIONS = ("pattern", "prize", "share_by_card", "round_up", "price")
_LOST, _OTHER_ROUND, _PAID, _SHARED, _VOID = (
    f"hc2023 5:1({n})" for n in ("7", "6", "9", "10", "7")
)


def _card(record: object, variant: str) -> Placed:
    fields = Fields(record, ("id", "player", "bet", "on", "stake", "round"))
    if fields.text("bet") != BET:
        raise Refusal(UNKNOWN_BET, f"the one bet here is {BET}", "bet")
    rows = fields.selection("on")
    card = tuple(row for row in rows if isinstance(row, tuple))
    if len(card) != len(rows):
        raise Refusal(SELECTION_INVALID, "a card is a list of rows", "on")
    bingo.verify_card(card, variant)
    return bet_of(fields, card)._replace(state=fields.optional_text("round"))


def _pattern(table: Fields, variant: str) -> bingo.Pattern:
    if not isinstance(table.get("pattern"), list):
        return bingo.pattern_of(table.text("pattern"), variant)
    cells = table.series("pattern")
    bingo.verify_cells(cells, variant)
    return bingo.cells_pattern(cells)


def _shares(winners: Sequence[Placed], prize: int, *, by_card: bool, round_up: bool) -> list[int]:
    """Return what each winning card is paid: players share equally, then each over his cards."""
    whose = [bet.id if by_card or bet.player is None else (bet.player,) for bet in winners]
    cards = Counter(whose)
    if cards and prize % len(cards) and not round_up:
        what = f"the prize {prize} does not divide by {len(cards)}, and no article rounds it"
        raise Refusal(NOT_WHOLE_CENTS, what, "table.prize")
    share = -(-prize // len(cards)) if cards else 0
    # What a player's cards do not divide is on the first of them: he gets his share.
    left = {player: share % count for player, count in cards.items()}
    return [share // cards[player] + left.pop(player, 0) for player in whose]


def _verify_price(bets: Sequence[Placed], price: int | None) -> None:
    for place, bet in enumerate(bets if price is not None else ()):
        if bet.stake != price:
            code = BELOW_MINIMUM if bet.stake < price else ABOVE_MAXIMUM  # type: ignore[operator]
            what = f"a card costs {price}, the stake is {bet.stake}"
            raise Refusal(code, what, f"bets[{place}].stake")


def _read_variant(fields: Fields) -> str:
    if fields.text("rules") != "hc2023":
        raise Refusal(GAME_NOT_IN_RULES, "bingo is in hc2023 only", "rules")
    variant = fields.text("variant")
    if variant not in bingo.FORMS:
        what = f"variant {shown(variant)} is none of bingo: {' '.join(bingo.FORMS)}"
        raise Refusal(UNKNOWN_VARIANT, what, "variant")
    return variant


def read_round(record: object) -> Round:
    """Return the cards with what each is paid."""
    fields = Fields(record, (*ROUND_FIELDS, "round"))
    variant = _read_variant(fields)
    with within("table"):
        table = Fields(fields.need("table"), OPTIONS)
        pattern, prize = _pattern(table, variant), table.integer("prize")
        with within("prize"):
            verify_stake(prize)
        by_card = table.optional_boolean("share_by_card") or False
        round_up = table.optional_boolean("round_up") or False
        price = table.optional_integer("price")
    bets = read_bets(fields, lambda bet: _card(bet, variant))
    _verify_price(bets, price)
    round_name = fields.optional_text("round")
    drawn: tuple[int, ...] | None = read_outcome(
        fields, ("drawn",), lambda outcome: outcome.integers("drawn"), void=None
    )
    if drawn is None:
        return Round([decided(bet, void(_VOID)) for bet in bets], KEY)
    playing = [bet for bet in bets if bet.state == round_name]
    with within("outcome"):
        places = bingo.winners([bet.chance for bet in playing], drawn, variant, pattern)
    won = [playing[place] for place in places]
    shares = _shares(won, prize, by_card=by_card, round_up=round_up)
    amounts = dict(zip([bet.id for bet in won], shares, strict=True))
    paid = _SHARED if len(won) > 1 else _PAID
    settled = []
    for bet in bets:
        rule = paid if bet.id in amounts else _LOST if bet in playing else _OTHER_ROUND
        settled.append(came_to(bet._replace(state=None), rule, win=amounts.get(bet.id, 0)))
    return Round(settled, KEY)


_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 90}
_ROWS: Schema = {"type": "array", "items": {"type": "array", "items": _NUMBER}}
_BET = one_bet_schema(
    BET,
    {**_ROWS, "description": "Rows from above, 0 where there is no number."},
    round={**TEXT_OR_NULL, "description": "Printed on the card."},
)
_OUTCOME: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "drawn": {"type": ["array", "null"], "items": _NUMBER, "description": "In order."},
        "void": {**TEXT_OR_NULL, "description": "Why; every card is paid back."},
    },
}
_TABLE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pattern", "prize"],
    "properties": {
        "pattern": {
            "anyOf": [{"enum": list(bingo.PATTERNS)}, _ROWS],
            "description": "By name, or its cells as [row, column] from 1.",
        },
        "prize": {"type": "integer", "minimum": 1, "maximum": MAX_STAKE},
        "share_by_card": boolean("Winning cards share, not players; left out: players."),
        "round_up": boolean("A share goes up to a whole cent; left out: refused."),
        "price": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": MAX_STAKE,
            "description": "Cents each card costs; left out: any.",
        },
    },
}


def schema() -> dict[str, object]:
    """Return the JSON Schema of one round."""
    card = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    return {
        "type": "object",
        "description": "Cards of one round of bingo.",
        "additionalProperties": False,
        "required": ["rules", "game", "variant", "bets", "outcome", "table"],
        "properties": {
            "rules": {"const": "hc2023"},
            "game": {"const": "bingo"},
            "variant": {"enum": list(bingo.FORMS)},
            "bets": {"type": "array", "items": _BET},
            "round": {**TEXT_OR_NULL, "description": "Cards of another round do not play."},
            "outcome": _OUTCOME,
            "table": _TABLE,
        },
        "examples": [
            {
                "rules": "hc2023",
                "game": "bingo",
                "variant": "80",
                "bets": [{"id": "1", "bet": BET, "on": card, "stake": 200}],
                "outcome": {"drawn": [4, 3, 77, 1, 2]},
                "table": {"pattern": "row", "prize": 50000},
            }
        ],
    }
