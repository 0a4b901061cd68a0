"""Keno games as records: forms, the balls drawn, and the pay table as data.

`{"drawn":[...]}` is one game; a list of such lists is a series, which a form stakes as a whole.
"""

from collections.abc import Sequence
from fractions import Fraction

from tabletools.rules import keno
from tabletools.rules.bets import Placed
from tabletools.rules.codes.bets import GAME_NOT_IN_RULES, UNKNOWN_BET
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.limits import verify_minimum
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import void
from tabletools.settle.amounts import KEY, bet_of, came_to, decided
from tabletools.settle.records import Round, read_bets, read_outcome
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, one_bet_schema

BET = "numbers"
OPTIONS = ("pays", "maximum_payment", "minimum")
_ARTICLES = {"hc2011": ("hc2011 4:3(4)", "hc2011 4:3"), "hc2023": ("hc2023 5:2(3)", "hc2023 5:2")}
"""By edition: of a payment, and of the game."""
_HITS = [str(n) for n in range(keno.DRAWN + 1)]


def _times(fields: Fields, hit: str) -> Fraction:
    """Return what is paid per stake: an integer, or [parts, of so many]."""
    if not isinstance(fields.get(hit), list):
        return Fraction(fields.integer(hit))
    pair = fields.integers(hit)
    if len(pair) != 2 or pair[1] < 1:
        raise Refusal(LIMITS_INVALID, "a prize is [parts, of so many]", hit)
    return Fraction(pair[0], pair[1])


def _pays(table: Fields) -> dict[int, dict[int, Fraction]]:
    if table.get("pays") is None:
        what = "no edition prints the pay table of Keno: give it in pays"
        raise Refusal(LIMITS_INVALID, what, "pays")
    found = {}
    with within("pays"):
        by_marked = Fields(table.get("pays"), _HITS[1:])
        for marked in by_marked.names():
            with within(marked):
                hits = Fields(by_marked.need(marked), _HITS)
                found[int(marked)] = {int(hit): _times(hits, hit) for hit in hits.names()}
    keno.verify_pays(found)
    return found


def _draws(outcome: Fields) -> list[tuple[int, ...]]:
    drawn = outcome.need("drawn")
    series = isinstance(drawn, list) and drawn and isinstance(drawn[0], list)
    draws = list(outcome.series("drawn")) if series else [outcome.integers("drawn")]
    for draw in draws:
        keno.verify_draw(draw)
    return draws


def _form(record: object) -> Placed:
    fields = Fields(record, ("id", "player", "bet", "on", "stake"))
    if fields.text("bet") != BET:
        raise Refusal(UNKNOWN_BET, f"the one bet here is {BET}", "bet")
    return bet_of(fields, keno.marked_of(fields.selection("on")))


def read_round(record: object) -> Round:
    """Return the forms with what each is paid."""
    fields = Fields(record, ("rules", "game", "bets", "outcome", "table"))
    edition = fields.text("rules")
    if edition not in _ARTICLES:
        what = f"{shown(edition)} has no keno, it is in: {' '.join(_ARTICLES)}"
        raise Refusal(GAME_NOT_IN_RULES, what, "rules")
    pays_article, article = _ARTICLES[edition]
    old = edition == "hc2011"
    with within("table"):
        table = Fields(fields.need("table"), OPTIONS)
        pays = _pays(table)
        most = table.optional_integer("maximum_payment")
        if most is not None and most < 1:
            raise Refusal(
                LIMITS_INVALID, f"a payment is at least 1 cent, not {most}", "maximum_payment"
            )
        minimum = table.optional_integer("minimum")
        if minimum is not None:
            verify_minimum(minimum)
            if old and minimum < keno.LEAST_2011:
                what = f"minimum {minimum} is below {keno.LEAST_2011} (hc2011 4:3(8))"
                raise Refusal(LIMITS_INVALID, what, "minimum")
    most = keno.MOST_PAID_2011 if most is None and old else most
    bets = read_bets(fields, _form)
    if minimum is not None:
        for place, bet in enumerate(bets):
            with within(f"bets[{place}]"):
                keno.verify_placed(bet.chance, bet.stake, pays, minimum)
    draws: Sequence[tuple[int, ...]] | None = read_outcome(fields, ("drawn",), _draws, void=None)
    if draws is None:
        return Round([decided(bet, void(article)) for bet in bets], KEY)
    settled = []
    for place, bet in enumerate(bets):
        with within(f"bets[{place}]"):
            keno.verify_form(bet.stake, len(draws), keno.LEAST_2011 if old else 1)
            amount = keno.prize(bet.chance, draws, bet.stake, pays, most)
        settled.append(came_to(bet, pays_article, win=amount))
    return Round(settled, KEY)


_NUMBER: Schema = {"type": "integer", "minimum": 1, "maximum": keno.NUMBERS}
_DRAW: Schema = {"type": "array", "items": _NUMBER, "minItems": keno.DRAWN, "maxItems": keno.DRAWN}
_PRIZE: Schema = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "integer", "minimum": 1}},
    ]
}
_BET = one_bet_schema(
    BET,
    {
        "type": "array",
        "items": _NUMBER,
        "minItems": 1,
        "maxItems": keno.PROGRESSIVE,
        "description": "Numbers marked, low to high: 1 to 15, or 20.",
    },
    "Cents for all games of the series.",
)
_OPTIONS: Schema = {
    "pays": {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": _PRIZE},
        "description": "Times the stake of a game, by numbers marked, by numbers hit.",
    },
    "maximum_payment": {
        "type": ["integer", "null"],
        "minimum": 1,
        "description": "Cents in one game; left out: hc2011 2500000, hc2023 none.",
    },
    "minimum": {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": MAX_STAKE,
        "description": "Cents; with it a form is verified as at placement, as of one game.",
    },
}
_OUTCOME: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "drawn": {"anyOf": [_DRAW, {"type": "array", "items": _DRAW}, {"type": "null"}]},
        "void": {**TEXT_OR_NULL, "description": "Why; every form is paid back."},
    },
}


def schema() -> dict[str, object]:
    """Return the JSON Schema of one round."""
    bets = [{"id": "1", "bet": BET, "on": [7, 21], "stake": 200}]
    return {
        "type": "object",
        "description": "Forms of one game of keno, or of a series.",
        "additionalProperties": False,
        "required": ["rules", "game", "bets", "outcome", "table"],
        "properties": {
            "rules": {"enum": list(_ARTICLES)},
            "game": {"const": "keno"},
            "bets": {"type": "array", "items": _BET},
            "outcome": _OUTCOME,
            "table": {"type": "object", "additionalProperties": False, "properties": _OPTIONS},
        },
        "examples": [
            {
                "rules": "hc2023",
                "game": "keno",
                "bets": bets,
                "outcome": {"drawn": list(range(2, 41, 2))},
                "table": {"pays": {"2": {"2": 12}}},
            }
        ],
    }
