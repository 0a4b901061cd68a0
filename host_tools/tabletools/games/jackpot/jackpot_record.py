"""Jackpot rounds as records: the bets of one round, what they won, the meters before and after."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, NamedTuple

from msgspec import Meta

from tabletools.games.jackpot import citations, winning_hands
from tabletools.games.jackpot.citations import GREEK, NOT_WON
from tabletools.games.jackpot.scheme import (
    Entry,
    Manner,
    Meter,
    Prize,
    Scheme,
    contributed,
    each_full,
    first_full,
    five_seconds,
    five_seconds_each,
    same_table_full,
    settle,
    split_at_a_table,
    split_pot,
)
from tabletools.rules import amounts, records
from tabletools.rules.amounts import KEY, came_to, decided, only_bet, undecided, verify_price
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.citation import cite
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND, UNKNOWN_VARIANT
from tabletools.rules.codes.outcomes import CARDS_INVALID
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.declared import Declared, Stake, Text, needed, read, verify_names
from tabletools.rules.hands import AnyHand
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.records import Round, placed
from tabletools.rules.verdict import void
from tabletools.rules.violation import RuleViolation, shown, within

BET = "jackpot"
_Cents = Annotated[int, Meta(extra_json_schema={"minimum": -MAX_STAKE, "maximum": MAX_STAKE})]


class JackpotOutcome(Declared, frozen=True, kw_only=True):
    """What each bet won, by its id."""

    hands: Annotated[
        dict[Text, AnyHand] | None, Meta(description="The player's cards. By id of the bet.")
    ] = None
    won: Annotated[
        dict[Text, Text | None] | None,
        Meta(description="Meter won, where no combination is printed. By id of the bet."),
    ] = None
    folded: Annotated[tuple[Text, ...] | None, Meta(description="Ids without a bet.")] = None
    times_ms: Annotated[
        dict[Text, int | None] | None,
        Meta(
            description="When it fell; the earliest is the first winner. Needed where that "
            "decides between winners of a meter. By id of the bet.",
        ),
    ] = None
    tables: Annotated[
        dict[Text, Text | None] | None,
        Meta(
            description="Where it was won. Needed where that decides between winners of a meter. "
            "By id of the bet."
        ),
    ] = None
    growth: Annotated[
        dict[Text, int | None] | None,
        Meta(description="Slots: growth of the new jackpot until then, cents. By id of the bet."),
    ] = None
    void: Annotated[Text | None, Meta(description="Why; every bet is returned.")] = None


class JackpotTable(Declared, frozen=True, kw_only=True):
    """How the jackpots are offered."""

    start: Annotated[
        dict[Text, _Cents] | None,
        Meta(description="Start amounts; left out: as printed, or 0."),
    ] = None
    contribution: Annotated[
        dict[Text, tuple[int, ...]] | None,
        Meta(description="Share of each stake by meter, [parts, of so many]; left out: none."),
    ] = None
    price: Annotated[Stake | None, Meta(description="Cents each bet costs; left out: any.")] = None
    bonuses_from: Annotated[Text | None, Meta(description="Meter bonuses come off.")] = None
    stake_kept: Annotated[
        bool | None, Meta(description="n:1 prizes leave the stake; left out: yes.")
    ] = None
    folded_wins: Annotated[
        bool | None, Meta(description="A folded hand wins; left out: hc2023 yes, gr2003 no.")
    ] = None
    round_up: Annotated[
        bool | None,
        Meta(description="Shares are rounded up to a whole euro; left out: refused."),
    ] = None
    rake: Annotated[int | None, Meta(description="gr2003: percent kept, 15 to 20.")] = None
    progressive: Annotated[
        bool | None, Meta(description="gr2003: the amount grows; left out: yes.")
    ] = None
    straight_flush_first: Annotated[
        bool | None,
        Meta(
            description="gr2003: a tenth comes off before a royal flush of the round is paid; "
            "left out: no."
        ),
    ] = None
    against_previous: Annotated[
        bool | None,
        Meta(
            description="Slots: five seconds count from the winner before; left out: from the "
            "first."
        ),
    ] = None
    consolation: Annotated[
        dict[Text, _Cents] | None,
        Meta(description="gr2003: four, full_house and flush, cents."),
    ] = None


class Record(records.Record, frozen=True, kw_only=True):
    """Jackpot bets of one round; the answer adds the meters after it."""

    variant: Text
    bets: tuple[amounts.Bet, ...]
    meters: Annotated[
        dict[Text, _Cents] | None,
        Meta(description="Levels before the round; left out: the start."),
    ] = None
    outcome: JackpotOutcome
    table: JackpotTable | None = None


RAKE_PERCENT = range(15, 21)
"""gr2003 §9α: what the casino keeps of the bet."""
CONSOLATIONS = ("four", "full_house", "flush")


class Variant(NamedTuple):
    """One game's jackpots. starts: printed start amounts, cents by meter, 0 where none is printed.
    prizes: of a hand, None if the winning combinations are not printed and `won` gives them.
    shared: cards that all hands of a table have in common, None if it has no deck."""

    article: str
    manner: Manner
    starts: Mapping[str, int]
    prizes: winning_hands.PrizesOf | None = None
    deducts: str | None = None
    shared: int | None = None


_MEGA = {"mega": 2_500_000, "major": 250_000, "minor": 50_000}
_THREE = dict.fromkeys(("jackpot1", "jackpot2", "jackpot3"), 0)
_ONE = {"jackpot": 0}
_POKER = winning_hands.poker_2023
VARIANTS: Mapping[tuple[str, str], Variant] = {
    ("hc2023", "caribbean"): Variant("3:5(9)", split_at_a_table, _MEGA, _POKER, shared=0),
    ("hc2023", "ultimate"): Variant("3:6(12)", split_at_a_table, _MEGA, _POKER, shared=3),
    ("hc2023", "four_card"): Variant("3:7(9)", split_at_a_table, _MEGA, _POKER, shared=0),
    ("hc2023", "blackjack"): Variant("3:2(11)", first_full, {}),
    ("hc2023", "slots"): Variant("6:2(7)", five_seconds, {}),
    ("hc2011", "caribbean"): Variant(
        "3:6(7)", each_full, _ONE, winning_hands.caribbean_2011, "jackpot", shared=0
    ),
    ("hc2011", "multi_poker"): Variant(
        "3:9(3)",
        same_table_full,
        _THREE,
        winning_hands.multi_poker_2011,
        "jackpot1",
        shared=0,
    ),
    ("hc2011", "blackjack"): Variant(
        "3:2(12)", first_full, _THREE, winning_hands.multi_jack_2011, "jackpot1"
    ),
    ("hc2011", "slots"): Variant("5:2(7)", five_seconds, {}),
    (GREEK, "caribbean"): Variant(NOT_WON, split_pot, _ONE, shared=0),
}
"""By edition and variant."""


class Terms(NamedTuple):
    """A variant as one table offers it."""

    article: str
    scheme: Scheme
    starts: Mapping[str, int]
    prizes: winning_hands.PrizesOf | None
    shares: Mapping[str, tuple[int, int]]
    folded_wins: bool
    void_article: str


def _cents(
    amounts: Mapping[str, int] | None,
    name: str,
    known: Sequence[str] | None = None,
    *,
    least: int = 0,
) -> dict[str, int]:
    """Return cents by name; {} if none are given. known: the allowed names, None for any."""
    with within(name):
        if amounts and known is not None:
            verify_names(amounts, known)
        for each, cents in (amounts or {}).items():
            if not least <= cents <= MAX_STAKE:
                what = f"{cents} cents are given; allowed: {least} to {MAX_STAKE}"
                raise RuleViolation(LIMITS_INVALID, what, each)
    return dict(amounts or {})


def _shares(table: JackpotTable) -> dict[str, tuple[int, int]]:
    shares = {}
    with within("contribution"):
        for name, pair in (table.contribution or {}).items():
            if len(pair) != 2:
                raise RuleViolation(LIMITS_INVALID, "a share is [parts, of so many]", name)
            shares[name] = (pair[0], pair[1])
    return shares


def _greek(terms: Terms, table: JackpotTable) -> Terms:
    """gr2003 §8 and §9: rake, a fixed or a progressive amount, consolation bonuses."""
    rake = table.rake
    if rake is None or rake not in RAKE_PERCENT:
        what = f"rake is {shown(rake)}; allowed: 15 to 20 percent (gr2003 §9α)"
        raise RuleViolation(LIMITS_INVALID, what, "rake")
    consolation = _cents(table.consolation, "consolation", CONSOLATIONS)
    if set(consolation) != set(CONSOLATIONS):
        what = f"the casino determines the bonus of {', '.join(CONSOLATIONS)} (gr2003 §9β(5))"
        raise RuleViolation(LIMITS_INVALID, what, "consolation")
    progressive = table.progressive is not False
    manner = split_pot if progressive else each_full
    first = table.straight_flush_first or False
    scheme = terms.scheme._replace(manner=manner, resets=progressive, parts_first=first)
    shares = {"jackpot": (100 - rake, 100)} if progressive else {}
    return terms._replace(
        scheme=scheme, shares=shares, prizes=winning_hands.greek(consolation), folded_wins=False
    )


def _manner(variant: Variant, table: JackpotTable) -> Manner:
    """Return how the variant pays winners; on slots the table says whom each is measured with."""
    each = table.against_previous
    if each is not None and variant.manner is not five_seconds:
        raise RuleViolation(
            LIMITS_INVALID, "winners are measured in time on slots", "against_previous"
        )
    return five_seconds_each if each else variant.manner


def _terms(edition: str, variant: Variant, table: JackpotTable) -> Terms:
    bonuses_from = table.bonuses_from or variant.deducts
    prizes = variant.prizes
    if prizes is _POKER:
        prizes = partial(_POKER, keeps=table.stake_kept is not False)
    scheme = Scheme(_manner(variant, table), bonuses_from, round_up=table.round_up or False)
    terms = Terms(
        cite(edition, variant.article),
        scheme,
        {**variant.starts, **_cents(table.start, "start")},
        prizes,
        _shares(table),
        edition == "hc2023",
        cite(GREEK, "§10β+§10γ") if edition == GREEK else f"{edition} 3:1(7)",
    )
    if edition == GREEK:
        terms = _greek(terms, table)
    else:
        for name in ("rake", "progressive", "consolation", "straight_flush_first"):
            if getattr(table, name) is not None:
                raise RuleViolation(LIMITS_INVALID, f"{name} is for gr2003 only", name)
    if edition != "hc2011" and table.folded_wins is not None:
        terms = terms._replace(folded_wins=table.folded_wins)
    for name in (*terms.shares, *filter(None, [bonuses_from])):
        if name not in terms.starts:
            raise RuleViolation(LIMITS_INVALID, f"there is no meter {shown(name)}", "start")
    return terms


def _pending(bet: amounts.Bet) -> CompiledBet:
    if bet.bet != BET:
        raise RuleViolation(BET_NOT_IN_ROUND, f"the only bet is {BET}", "bet")
    return undecided(bet, BET)


def _hand(text: str | None, bet: str) -> Hand:
    with within("hands"):
        cards = needed(text, bet)
        with within(bet):
            return hand_of(cards)


def _verify_outcome(
    outcome: JackpotOutcome, bets: Sequence[CompiledBet], shared: int | None
) -> None:
    """Raise RuleViolation at impossible values, also beside a void.

    shared: see Variant.
    """
    ids = [bet.id for bet in bets]
    for name in ("hands", "won", "times_ms", "tables", "growth", "folded"):
        with within(name):
            verify_names(getattr(outcome, name) or (), ids)
    for name in ("times_ms", "growth"):
        for bet, value in (getattr(outcome, name) or {}).items():
            if value is not None and value < 0:
                raise RuleViolation(LIMITS_INVALID, f"{value} is below zero", f"{name}.{bet}")
    hands = {bet: _hand(cards, bet) for bet, cards in (outcome.hands or {}).items()}
    if shared is None:
        return
    tables = outcome.tables or {}
    is_known = all(tables.get(bet) is not None for bet in hands)
    by_table: dict[str | None, dict[str, Hand]] = {}
    for bet, hand in hands.items():
        by_table.setdefault(tables.get(bet) if is_known else None, {})[bet] = hand
    for dealt in by_table.values():
        _verify_deck(dealt, shared)


def _verify_deck(hands: Mapping[str, Hand], shared: int) -> None:
    """Raise RuleViolation unless the hands of a table can come from one deck.

    shared: cards of the board.
    """
    (_, first), *others = hands.items()
    board = set(first) & set(others[0][1]) if others else set()
    cards = set(first)
    for bet, hand in others:
        own = set(hand) - board
        if len(board) != shared or not board < set(hand) or own & cards:
            what = "no card is in two hands of one deck"
            if shared:
                what = f"hands of one deck have {shared} cards of the board in common, no other"
            what += "; of several tables, `tables` names them"
            raise RuleViolation(CARDS_INVALID, what, f"hands.{bet}")
        cards |= own


def _prizes(
    outcome: JackpotOutcome, terms: Terms, bets: Sequence[CompiledBet]
) -> list[tuple[Prize, ...]]:
    """Return what each bet won, by its hand or by `won`."""
    hands, folded = outcome.hands or {}, set(outcome.folded or ())
    won = needed(outcome.won, "won") if terms.prizes is None else {}
    if terms.prizes is not None and outcome.won is not None:
        what = "the hands decide what is won, by the combinations printed; leave won out"
        raise RuleViolation(BET_NOT_IN_ROUND, what, "won")
    prizes_of_bets: list[tuple[Prize, ...]] = []
    for bet in bets:
        if terms.prizes is None:
            name = won.get(bet.id)
            if name is not None and name not in terms.starts:
                known = " ".join(terms.starts) or "none, name them in start"
                what = f"there is no meter {shown(name)}; known: {known}"
                raise RuleViolation(LIMITS_INVALID, what, f"won.{bet.id}")
            prizes: tuple[Prize, ...] = () if name is None else (Prize(name),)
        else:
            hand = _hand(hands.get(bet.id), bet.id)
            with within(f"hands.{bet.id}"):
                prizes = terms.prizes(hand)
        prizes_of_bets.append(() if bet.id in folded and not terms.folded_wins else prizes)
    return prizes_of_bets


def _entries(outcome: JackpotOutcome, terms: Terms, bets: Sequence[CompiledBet]) -> list[Entry]:
    times, tables, growth = outcome.times_ms or {}, outcome.tables or {}, outcome.growth or {}
    return [
        Entry(bet.stake, prizes, times.get(bet.id), tables.get(bet.id), growth.get(bet.id), bet.id)
        for bet, prizes in zip(bets, _prizes(outcome, terms, bets), strict=True)
    ]


def _variant(edition: str, name: str | None) -> Variant:
    if name is None or (edition, name) not in VARIANTS:
        known = " ".join(f"{known}/{game}" for known, game in VARIANTS)
        what = f"{shown(edition)} has no jackpot of {shown(name)}; known: {known}"
        raise RuleViolation(UNKNOWN_VARIANT, what, "variant")
    return VARIANTS[edition, name]


def starts_of(edition: str, name: str | None, table: Mapping[str, object]) -> Mapping[str, int]:
    """Return the start amounts of a table, cents by meter.

    table: its options. Raises RuleViolation.
    """
    variant = _variant(edition, name)
    with within("table"):
        return _terms(edition, variant, read(JackpotTable, dict(table))).starts


def _play(record: Record) -> Round:
    """Return the bets of one round with what each is paid, and the meters after it."""
    table = record.table or JackpotTable()
    variant = _variant(record.rules, record.variant)
    with within("table"):
        terms = _terms(record.rules, variant, table)
    bets = placed(record.bets, _pending)
    if table.price is not None:
        verify_price(bets, table.price, "a jackpot bet")
        contributed([table.price], terms.shares)
    levels = {
        **terms.starts,
        **_cents(record.meters, "meters", tuple(terms.starts), least=-MAX_STAKE),
    }
    with within("outcome"):
        _verify_outcome(record.outcome, bets, variant.shared)
        if record.outcome.void is not None:
            voided = [decided(bet, void(terms.void_article)) for bet in bets]
            return Round(voided, KEY, {"meters": levels})
        entries = _entries(record.outcome, terms, bets)
    for meter, cents in contributed([bet.stake for bet in bets], terms.shares).items():
        levels[meter] += cents
    meters = {meter: Meter(level, terms.starts[meter]) for meter, level in levels.items()}
    payments, after = settle(terms.scheme, entries, meters)
    key = record.rules, record.variant
    whole = Counter(prize.meter for each in entries for prize in each.prizes if prize.share == 1)
    ruled = citations.Round(key, terms.article, meters, whole, terms.scheme.resets)
    folded = set() if terms.folded_wins else set(record.outcome.folded or ())
    settled = []
    for place, (bet, entry, payment) in enumerate(zip(bets, entries, payments, strict=True)):
        rule = citations.citation_of(ruled, entry, payment, is_folded=bet.id in folded)
        with within(f"bets[{place}]"):
            back = payment.back if payment.win else 0
            settled.append(came_to(bet, rule, win=payment.win, back=back))
    return Round(settled, KEY, {"meters": after})


_EXAMPLE = {
    "rules": "hc2023",
    "game": "jackpot",
    "variant": "caribbean",
    "bets": [{"id": "1", "bet": BET, "stake": 100}],
    "meters": {"mega": 2_612_300},
    "outcome": {"hands": {"1": "AD KD QD JD TD"}},
}
_VARIANTS = [
    {"properties": {"rules": {"const": edition}, "variant": {"const": variant}}}
    for edition, variant in VARIANTS
]
GAME = records.RecordGame(
    name="jackpot",
    measured="player",
    needed_limit="price",
    record=Record,
    play=_play,
    constraints={
        "properties": {"bets": only_bet(BET)},
        "oneOf": _VARIANTS,
        "examples": [_EXAMPLE],
    },
)
