"""Roulette rounds as records: from JSON objects to placed bets and an outcome."""

from functools import partial

from tabletools.rules import roulette
from tabletools.rules.bets import Placed
from tabletools.rules.refusal import within
from tabletools.settle.records import ROUND_FIELDS, Round, read_bets, read_outcome
from tabletools.settle.roulette_schema import roulette_schema as schema
from tabletools.settle.strict_json import Fields

__all__ = ["read_round", "schema"]

BET_FIELDS = ("id", "player", "bet", "numbers", "index", "stake", "choice", "state")
TABLE_FIELDS = ("minimum", "special_minimum", "maximum", "not_offered")


def _read_slip(record: object, *, needs_player: bool = False) -> roulette.Slip:
    fields = Fields(record, BET_FIELDS)
    return roulette.Slip(
        id=fields.text("id"),
        bet=fields.text("bet"),
        stake=fields.integer("stake"),
        numbers=fields.texts("numbers"),
        index=fields.optional_integer("index"),
        choice=fields.optional_text("choice"),
        state=fields.optional_text("state"),
        player=fields.text("player") if needs_player else fields.optional_text("player"),
    )


def _accept(rules: roulette.RouletteRules, record: object) -> Placed:
    return roulette.accept(rules, _read_slip(record))


def _lay(rules: roulette.RouletteRules, record: object) -> Placed:
    slip = _read_slip(record, needs_player=True)
    take = roulette.place if slip.state is None else roulette.accept
    return take(rules, slip)


def _read_maximum(record: object) -> dict[int, int] | None:
    if record is None:
        return None
    widths = {str(width): width for width in roulette.WIDTHS}
    fields = Fields(record, tuple(widths))
    given = {width: fields.optional_integer(name) for name, width in widths.items()}
    return {width: cents for width, cents in given.items() if cents is not None}


def _read_limits(rules: roulette.RouletteRules, record: object) -> roulette.Limits:
    fields = Fields(record, TABLE_FIELDS)
    with within("maximum"):
        maximum = _read_maximum(fields.get("maximum"))
    return roulette.limits_of(
        rules,
        fields.integer("minimum"),
        special_minimum=fields.optional_integer("special_minimum"),
        maximum=maximum,
        not_offered=fields.texts("not_offered"),
    )


def read_round(record: object) -> Round:
    """Return the bets and the outcome of one round; raise Refusal at the first thing wrong.

    With a `table`, new bets are verified as at placement: whole in cents whatever falls, and
    within the limits. Without one, bets only have to exist on the cloth.
    """
    fields = Fields(record, ROUND_FIELDS)
    rules = roulette.rules_of(fields.text("rules"), fields.text("variant"))
    outcome = read_outcome(
        fields,
        ("pocket",),
        lambda given: roulette.outcome_of(rules, given.text("pocket")),
        void=roulette.VOID,
    )
    table = fields.get("table")
    if table is None:
        return Round(read_bets(fields, partial(_accept, rules)), outcome)
    with within("table"):
        limits = _read_limits(rules, table)
    bets = read_bets(fields, partial(_lay, rules))
    roulette.verify_limits(rules, limits, bets)
    return Round(bets, outcome)
