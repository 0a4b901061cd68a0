"""Keno games as records: forms, the balls drawn, and the pay table as data.

`{"drawn":[...]}` is one game; a list of such lists is a series, which a form stakes as a whole. A
form with `games` is settled draw by draw: its state then says how many games are left.
"""

from collections.abc import Sequence
from fractions import Fraction

from tabletools.rules import keno
from tabletools.rules.bets import Placed
from tabletools.rules.codes.bets import GAME_NOT_IN_RULES, STATE_NOT_POSSIBLE, UNKNOWN_BET
from tabletools.rules.codes.stakes import LIMITS_INVALID, NOT_WHOLE_CENTS
from tabletools.rules.limits import verify_minimum
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import PRISON, WIN, stand, verdict, void
from tabletools.settle.amounts import KEY, bet_of, came_to, decided
from tabletools.settle.records import Round, read_bets, read_outcome
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, one_bet_schema

BET = "numbers"
OPTIONS = ("pays", "maximum_payment", "minimum")
_ARTICLES = {"hc2011": ("hc2011 4:3(4)", "hc2011 4:3"), "hc2023": ("hc2023 5:2(3)", "hc2023 5:2")}
"""By edition: of a payment, and of the game."""
_LEFT = {f"games{left}": left for left in range(1, keno.MOST_GAMES)}
"""States of a form: how many games are left, the next one drawn among them."""
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
    """Return a form. chance: the numbers marked, and its games left with the one drawn."""
    fields = Fields(record, ("id", "player", "bet", "on", "stake", "games", "state"))
    if fields.text("bet") != BET:
        raise Refusal(UNKNOWN_BET, f"the one bet here is {BET}", "bet")
    games, state = fields.optional_integer("games"), fields.optional_text("state")
    if games is not None:
        keno.verify_games(games, "games")
    left = games or 1
    if state is not None:
        left = _LEFT.get(state, 0)
        if games is None or not 0 < left < games:
            what = f"a form of {left if games is None else games} games is in no state {state!r}"
            raise Refusal(STATE_NOT_POSSIBLE, what, "state")
    bet = bet_of(fields, (keno.marked_of(fields.selection("on")), left))
    return bet._replace(state=state)


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
                if bet.state is None:
                    keno.verify_placed(bet.chance[0], bet.stake, pays, minimum, bet.chance[1])
    draws: Sequence[tuple[int, ...]] | None = read_outcome(fields, ("drawn",), _draws, void=None)
    if draws is None:
        return Round([_void(bet, article) for bet in bets], KEY)
    settled = []
    for place, bet in enumerate(bets):
        marked, left = bet.chance
        with within(f"bets[{place}]"):
            if left > 1 and len(draws) > 1:
                what = "a form with games is settled draw by draw, here are several draws"
                raise Refusal(STATE_NOT_POSSIBLE, what, "games")
            keno.verify_form(bet.stake, max(left, len(draws)), keno.LEAST_2011 if old else 1)
            if left > 1:
                settled.append(_one_of(bet, draws[0], (pays, most), pays_article))
                continue
            amount = keno.prize(marked, draws, bet.stake, pays, most)
        settled.append(came_to(bet, pays_article, win=amount))
    return Round(settled, KEY)


def _void(bet: Placed, article: str) -> Placed:
    """A game that is void is none of the series: a form under way waits for the next."""
    return decided(bet, void(article) if bet.state is None else stand(article, state=bet.state))


def _one_of(
    bet: Placed, drawn: tuple[int, ...], paying: tuple[keno.PayTable, int | None], rule: str
) -> Placed:
    """One game of a series: its part of the stake is spent, that of the games to come stays."""
    (marked, left), (pays, most) = bet.chance, paying
    if bet.stake % left:
        what = f"stake {bet.stake} does not divide by the {left} games left"
        raise Refusal(NOT_WHOLE_CENTS, what, "stake")
    amount = keno.prize(marked, [drawn], bet.stake // left, pays, most)
    won, stays = Fraction(amount, bet.stake), Fraction(left - 1, left)
    state = f"games{left - 1}"
    return decided(bet, verdict(WIN if amount else PRISON, rule, win=won, live=stays, state=state))


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
    "Cents for all games of the series; in a state, for those left.",
    games={
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": keno.MOST_GAMES,
        "description": "Games the form is laid for, settled draw by draw.",
    },
    state={
        "enum": [None, *_LEFT],
        "description": "Of the last settlement: games left.",
    },
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
