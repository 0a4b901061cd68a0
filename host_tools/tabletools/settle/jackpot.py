"""Jackpot rounds as records: the bets of one round, what they won, and the meters in and out."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from tabletools.rules import jackpot, jackpot_hands
from tabletools.rules.bets import Placed
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND, UNKNOWN_VARIANT
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import void
from tabletools.settle.amounts import KEY, bet_of, came_to, decided
from tabletools.settle.jackpot_schema import BET, OPTIONS, jackpot_schema
from tabletools.settle.records import ROUND_FIELDS, Round, read_bets
from tabletools.settle.strict_json import Fields

_BET_FIELDS = ("id", "player", "bet", "stake")


def _hand(hands: Fields, bet: str) -> Hand:
    cards = hands.text(bet)
    with within(bet):
        return hand_of(cards)


_OF_EACH: Mapping[str, Callable[[Fields, str], object]] = {
    "hands": _hand,
    "won": Fields.optional_text,
    "times_ms": Fields.optional_integer,
    "tables": Fields.optional_text,
    "growth": Fields.optional_integer,
}
_OUTCOME_FIELDS = (*_OF_EACH, "folded", "void")
RAKE_PERCENT = range(15, 21)
"""gr2003 §9α: what the casino keeps of the bet."""
CONSOLATIONS = ("four", "full_house", "flush")
_GREEK = "gr2003"


class Variant(NamedTuple):
    """One game's jackpots. starts: printed start amounts, cents by meter, 0 where none is printed.
    prizes: of a hand, None where the winning combinations are not printed and `won` says them."""

    article: str
    manner: jackpot.Manner
    starts: Mapping[str, int]
    prizes: jackpot_hands.PrizesOf | None = None
    deducts: str | None = None


_MEGA = {"mega": 2_500_000, "major": 250_000, "minor": 50_000}
_THREE = dict.fromkeys(("jackpot1", "jackpot2", "jackpot3"), 0)
_ONE = {"jackpot": 0}
_POKER = jackpot_hands.poker_2023
VARIANTS: Mapping[tuple[str, str], Variant] = {
    ("hc2023", "caribbean"): Variant("3:5(9)", jackpot.split_pot, _MEGA, _POKER),
    ("hc2023", "ultimate"): Variant("3:6(12)", jackpot.split_pot, _MEGA, _POKER),
    ("hc2023", "four_card"): Variant("3:7(9)", jackpot.split_pot, _MEGA, _POKER),
    ("hc2023", "blackjack"): Variant("3:2(11)", jackpot.first_full, {}),
    ("hc2023", "slots"): Variant("6:2(7)", jackpot.five_seconds, {}),
    ("hc2011", "caribbean"): Variant(
        "3:6(7)", jackpot.each_full, _ONE, jackpot_hands.caribbean_2011, "jackpot"
    ),
    ("hc2011", "multi_poker"): Variant(
        "3:9(3)", jackpot.same_table_full, _THREE, jackpot_hands.multi_poker_2011, "jackpot1"
    ),
    ("hc2011", "blackjack"): Variant(
        "3:2(12)", jackpot.first_full, _THREE, jackpot_hands.multi_jack_2011, "jackpot1"
    ),
    ("hc2011", "slots"): Variant("5:2(7)", jackpot.five_seconds, {}),
    (_GREEK, "caribbean"): Variant("§9β", jackpot.split_pot, _ONE),
}
"""By edition and variant."""


class Terms(NamedTuple):
    """A variant as one table offers it."""

    article: str
    scheme: jackpot.Scheme
    starts: Mapping[str, int]
    prizes: jackpot_hands.PrizesOf | None
    shares: Mapping[str, tuple[int, int]]
    folded_wins: bool
    void_article: str


def _cents(fields: Fields, name: str, known: Sequence[str] | None) -> dict[str, int]:
    """Return cents by name; {} if the field is null or left out."""
    record = fields.get(name)
    if record is None:
        return {}
    with within(name):
        inner = Fields(record, known)
        found = {each: inner.integer(each) for each in inner.names()}
        for each, cents in found.items():
            if not -MAX_STAKE <= cents <= MAX_STAKE:
                raise Refusal(LIMITS_INVALID, f"no more than {MAX_STAKE} cents", each)
    return found


def _shares(table: Fields) -> dict[str, tuple[int, int]]:
    record = table.get("contribution")
    if record is None:
        return {}
    with within("contribution"):
        fields = Fields(record)
        found = {}
        for name in fields.names():
            pair = fields.integers(name)
            if len(pair) != 2:
                raise Refusal(LIMITS_INVALID, "a share is [parts, of so many]", name)
            found[name] = pair
    return {name: (pair[0], pair[1]) for name, pair in found.items()}


def _greek(terms: Terms, table: Fields) -> Terms:
    """gr2003 §8 and §9: rake, a fixed or a progressive amount, consolation bonuses."""
    rake = table.optional_integer("rake")
    if rake is None or rake not in RAKE_PERCENT:
        what = f"rake is {shown(rake)}, allowed are 15 to 20 percent (gr2003 §9α)"
        raise Refusal(LIMITS_INVALID, what, "rake")
    consolation = _cents(table, "consolation", CONSOLATIONS)
    if set(consolation) != set(CONSOLATIONS):
        what = f"the casino determines the bonus of {', '.join(CONSOLATIONS)} (gr2003 §9β(5))"
        raise Refusal(LIMITS_INVALID, what, "consolation")
    progressive = table.optional_boolean("progressive") is not False
    manner = jackpot.split_pot if progressive else jackpot.each_full
    first = table.optional_boolean("straight_flush_first") or False
    scheme = terms.scheme._replace(manner=manner, resets=progressive, parts_first=first)
    shares = {"jackpot": (100 - rake, 100)} if progressive else {}
    return terms._replace(
        scheme=scheme, shares=shares, prizes=jackpot_hands.greek(consolation), folded_wins=False
    )


def _manner(variant: Variant, table: Fields) -> jackpot.Manner:
    """Return how the variant pays winners; on slots a table says whom each is measured with."""
    each = table.optional_boolean("against_previous")
    if each is not None and variant.manner is not jackpot.five_seconds:
        raise Refusal(LIMITS_INVALID, "winners are measured in time on slots", "against_previous")
    return jackpot.five_seconds_each if each else variant.manner


def _terms(edition: str, variant: Variant, table: Fields) -> Terms:
    bonuses_from = table.optional_text("bonuses_from") or variant.deducts
    prizes = variant.prizes
    if prizes is _POKER:
        kept = table.optional_boolean("stake_kept") is not False
        prizes = partial(_POKER, keeps=kept)
    round_up = table.optional_boolean("round_up") or False
    terms = Terms(
        f"{edition} {variant.article}",
        jackpot.Scheme(_manner(variant, table), bonuses_from, round_up=round_up),
        {**variant.starts, **_cents(table, "start", None)},
        prizes,
        _shares(table),
        edition == "hc2023",
        "gr2003 §10" if edition == _GREEK else f"{edition} 3:1(7)",
    )
    if edition == _GREEK:
        terms = _greek(terms, table)
    else:
        for name in ("rake", "progressive", "consolation", "straight_flush_first"):
            if table.get(name) is not None:
                raise Refusal(LIMITS_INVALID, f"{name} is for gr2003 only", name)
    if edition != "hc2011":
        folded = table.optional_boolean("folded_wins")
        terms = terms._replace(folded_wins=terms.folded_wins if folded is None else folded)
    for name in (*terms.shares, *filter(None, [bonuses_from])):
        if name not in terms.starts:
            raise Refusal(LIMITS_INVALID, f"there is no meter {shown(name)}", "start")
    return terms


def _pending(record: object) -> Placed:
    fields = Fields(record, _BET_FIELDS)
    if fields.text("bet") != BET:
        raise Refusal(BET_NOT_IN_ROUND, f"the one bet here is {BET}", "bet")
    return bet_of(fields, BET)


def _named(outcome: Fields, name: str, bets: Sequence[Placed]) -> Fields:
    record = outcome.get(name)
    with within(name):
        return Fields({} if record is None else record, [bet.id for bet in bets])


def _checked(outcome: Fields, bets: Sequence[Placed]) -> None:
    """Read whatever an outcome says of each bet: a void makes it idle, not right."""
    outcome.texts("folded")
    for name, read in _OF_EACH.items():
        named = _named(outcome, name, bets)
        with within(name):
            for bet in named.names():
                read(named, bet)


def _prizes(
    outcome: Fields, terms: Terms, bets: Sequence[Placed]
) -> list[tuple[jackpot.Prize, ...]]:
    """Return what each bet won, by its hand or by what `won` says."""
    hands, won = _named(outcome, "hands", bets), _named(outcome, "won", bets)
    folded = set(outcome.texts("folded"))
    found: list[tuple[jackpot.Prize, ...]] = []
    for bet in bets:
        if terms.prizes is None:
            name = won.optional_text(bet.id)
            if name is not None and name not in terms.starts:
                known = " ".join(terms.starts) or "none, name them in start"
                what = f"there is no meter {shown(name)}, known are: {known}"
                raise Refusal(LIMITS_INVALID, what, f"won.{bet.id}")
            prizes: tuple[jackpot.Prize, ...] = () if name is None else (jackpot.Prize(name),)
        else:
            with within("hands"):
                hand = _hand(hands, bet.id)
                with within(bet.id):
                    prizes = terms.prizes(hand)
        found.append(() if bet.id in folded and not terms.folded_wins else prizes)
    return found


def _entries(outcome: Fields, terms: Terms, bets: Sequence[Placed]) -> list[jackpot.Entry]:
    times, tables = _named(outcome, "times_ms", bets), _named(outcome, "tables", bets)
    growth = _named(outcome, "growth", bets)
    return [
        jackpot.Entry(
            bet.stake,
            prizes,
            times.optional_integer(bet.id) or 0,
            tables.optional_text(bet.id),
            growth.optional_integer(bet.id) or 0,
        )
        for bet, prizes in zip(bets, _prizes(outcome, terms, bets), strict=True)
    ]


def read_round(record: object) -> Round:
    """Return the bets of one round with what each is paid, and the meters after it."""
    fields = Fields(record, (*ROUND_FIELDS, "meters"))
    edition, name = fields.text("rules"), fields.text("variant")
    if (edition, name) not in VARIANTS:
        known = " ".join(f"{known}/{game}" for known, game in VARIANTS)
        what = f"{shown(edition)} has no jackpot of {shown(name)}, known are: {known}"
        raise Refusal(UNKNOWN_VARIANT, what, "variant")
    with within("table"):
        table = fields.get("table")
        options = Fields({} if table is None else table, OPTIONS)
        terms = _terms(edition, VARIANTS[edition, name], options)
    bets = read_bets(fields, _pending)
    levels = {**terms.starts, **_cents(fields, "meters", tuple(terms.starts))}
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), _OUTCOME_FIELDS)
        _checked(outcome, bets)
        if outcome.optional_text("void") is not None:
            voided = [decided(bet, void(terms.void_article)) for bet in bets]
            return Round(voided, KEY, {"meters": levels})
        entries = _entries(outcome, terms, bets)
    for meter, cents in jackpot.contributed([bet.stake for bet in bets], terms.shares).items():
        levels[meter] += cents
    meters = {meter: jackpot.Meter(level, terms.starts[meter]) for meter, level in levels.items()}
    payments, after = jackpot.settle(terms.scheme, entries, meters)
    settled = [
        came_to(bet, terms.article, win=payment.win, back=payment.back if payment.win else 0)
        for bet, payment in zip(bets, payments, strict=True)
    ]
    return Round(settled, KEY, {"meters": after})


def schema() -> dict[str, object]:
    """Return the JSON Schema of one round."""
    return jackpot_schema(VARIANTS)
