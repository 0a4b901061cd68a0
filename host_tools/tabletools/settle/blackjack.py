"""Black Jack rounds as records: one box, `{"player":"5H 6C TD","bank":"KD 7S"}`.

A hand that was split is a list of hands; Switch has two hands, each of which may be such a list.
"""

from collections.abc import Sequence

from tabletools.rules import blackjack
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.game import Game
from tabletools.rules.refusal import Refusal, within
from tabletools.settle.cards import HAND
from tabletools.settle.misdeals import LIVE_GAME, MISDEAL, Cancelled
from tabletools.settle.records import OUTCOME_NOT_ONE
from tabletools.settle.strict_json import Fields, texts_of
from tabletools.settle.table_game import TableGame
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, boolean

_FIELDS = ("player", "bank", "switched", "void", *LIVE_GAME.schema)
_SUPER_MATCH = "super_match"
"""The bet only Switch has."""


def _group(value: object, where: str) -> tuple[Hand, ...]:
    """Return the hands of one text, or of a list of texts for a split hand."""
    hands = []
    for at, text in texts_of(value, where):
        with within(at):
            hands.append(hand_of(text))
    return tuple(hands)


def _groups(value: object, game: Game, *, voided: bool) -> tuple[tuple[Hand, ...], ...]:
    if value is None:
        return ()
    if _SUPER_MATCH not in game.kinds:
        groups: Sequence[tuple[Hand, ...]] = (_group(value, "player"),)
    else:
        parts = value if isinstance(value, list) else [value]
        groups = [_group(part, f"player[{place}]") for place, part in enumerate(parts)]
        if len(groups) != 2 and not voided:
            raise Refusal(DEAL_INCOMPLETE, "at Switch a box has two hands", "player")
    if sum(map(len, groups)) > blackjack.MOST_HANDS or not all(groups):
        raise Refusal(DEAL_NOT_BY_RULE, "a box has a hand, and few of them", "player")
    return tuple(groups)


def _read_deal(fields: Fields, game: Game) -> blackjack.Deal | Cancelled:
    record = fields.need("outcome")
    with within("outcome"):
        outcome = Fields(record, _FIELDS)
        voided = outcome.optional_text("void") is not None
        bank = outcome.optional_text("bank")
        is_cut = voided or outcome.get(MISDEAL) is not None
        groups = _groups(outcome.get("player"), game, voided=is_cut)
        if not is_cut and (not groups or bank is None):
            raise Refusal(OUTCOME_NOT_ONE, "without a void, player and bank are needed")
        switched = outcome.optional_boolean("switched") or False
        if switched and _SUPER_MATCH not in game.kinds:
            raise Refusal(DEAL_NOT_BY_RULE, "cards are exchanged at Switch only", "switched")
        with within("bank"):
            drawn = hand_of(bank or "")
        cancelled = LIVE_GAME.cancelled(fields, outcome, game, ())
        return cancelled or blackjack.Deal(groups, drawn, switched, voided)


def _at_table(game: Game, table: Fields) -> Game:
    chosen = [name for name in blackjack.NEEDS if table.optional_boolean(name)]
    return blackjack.at_table(game, chosen) if chosen else game


_ANY_HAND: Schema = {"type": "string", "pattern": HAND}
_SPLIT: Schema = {"type": "array", "items": _ANY_HAND, "minItems": 1}
_HANDS: Schema = {
    "anyOf": [
        _ANY_HAND,
        {"type": "array", "items": {"anyOf": [_ANY_HAND, _SPLIT]}, "minItems": 1},
        {"type": "null"},
    ],
    "description": "The box: a hand as dealt, a list of those it was split into, two at Switch.",
}
_OUTCOME: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "player": _HANDS,
        "bank": {"anyOf": [_ANY_HAND, {"type": "null"}], "description": "The bank, as dealt."},
        "switched": boolean("Switch: the second cards were exchanged; left out: no."),
        "void": {**TEXT_OR_NULL, "description": "Why; bets not decided by then are void."},
        **LIVE_GAME.schema,
    },
}
_NUMBER: Schema = {
    "type": ["array", "null"],
    "items": {"type": "integer", "minimum": 1, "maximum": blackjack.MOST_HANDS},
    "maxItems": 1,
    "description": "Number of the hand; left out: 1, of a split 2.",
}

BLACKJACK = TableGame(
    name="blackjack",
    games=blackjack.GAMES,
    read_outcome=_read_deal,
    outcome_schema=_OUTCOME,
    example=(
        [{"id": "1", "bet": "bet", "stake": 500}, {"id": "2", "bet": "double", "stake": 500}],
        {"player": "5H 6C TD", "bank": "KD 7S"},
    ),
    on_schemas=dict.fromkeys(("bet", "split", "double", "insurance"), _NUMBER),
    options={
        "bank_wins_ties": boolean("The bank wins equal points of 17 to 20; left out: no."),
        "natural_push": boolean("Casino21: two Black Jacks push; left out: the bank wins."),
        "five_cards": boolean("Casino21: bonus of five cards up to 21; left out: no."),
        "terminal": boolean("hc2023: one split, no 777 bonus; left out: no."),
        "one_card_on_aces": boolean("de-live: one card to a split ace; left out: any."),
        "color_jack_by_color": boolean("BJ+: one colour is enough; left out: one suit."),
        **LIVE_GAME.options,
    },
    at_table=_at_table,
)
