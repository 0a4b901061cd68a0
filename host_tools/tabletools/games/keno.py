"""Keno: 1 to 15 numbers of 80, 20 are drawn. hc2023 5:2, hc2011 4:3 (rulebook 12.2).

The pay table is data of the table: no edition prints one. A form of a series has one stake for all
its games. It is settled with all its draws at once, or draw by draw, with the stake of the games
to come still in play. The stake is the price of the form; a prize does not include it.

A record has the forms, the balls drawn, and the pay table as data. `{"drawn":[...]}` is one game,
a list of such lists is a series, for which a form has one stake. A form with `games` is settled
draw by draw; its state says how many games are left.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tabletools.rules import amounts, records
from tabletools.rules.amounts import KEY, came_to, decided, only_bet, undecided
from tabletools.rules.bets import CompiledBet
from tabletools.rules.citation import over
from tabletools.rules.codes.bets import (
    BET_NOT_OFFERED,
    GAME_NOT_IN_RULES,
    SELECTION_INVALID,
    STATE_NOT_POSSIBLE,
    UNKNOWN_BET,
)
from tabletools.rules.codes.fields import WRONG_TYPE
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import (
    BELOW_MINIMUM,
    LIMITS_INVALID,
    NOT_A_MULTIPLE,
    NOT_WHOLE_CENTS,
    STAKE_NOT_DIVISIBLE,
)
from tabletools.rules.declared import Declared, Stake, Text, replaced, verify_names
from tabletools.rules.limits import verify_minimum
from tabletools.rules.records import Drawing, Round, placed
from tabletools.rules.verdict import PRISON, WIN, stand, verdict, void
from tabletools.rules.violation import RuleViolation, shown, within

NUMBERS, DRAWN, MOST_MARKED, PROGRESSIVE = 80, 20, 15, 20
"""PROGRESSIVE: numbers marked for the progressive jackpot, an example of 5:2(6) and 4:3(7)."""
LEAST_2011 = 50
"""hc2011 4:3(8): cents, for each card or combination."""
MOST_PAID_2011 = 2_500_000
"""hc2011 4:3(8): highest payment, cents."""

MOST_GAMES = 20
"""hc2023 5:2, hc2011 4:3: most games of a series."""

PayTable = Mapping[int, Mapping[int, Fraction]]
"""Payment per stake of one game, by numbers marked and numbers hit."""


def marked_of(on: Sequence[object]) -> tuple[int, ...]:
    """Return the numbers marked; raise RuleViolation unless they are 1 to 15, or 20, in order."""
    marked = tuple(n for n in on if isinstance(n, int) and 1 <= n <= NUMBERS)
    if len(marked) != len(on) or list(marked) != sorted(set(marked)):
        what = f"numbers from 1 to {NUMBERS} are marked, each once, from low to high"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    if not (1 <= len(marked) <= MOST_MARKED or len(marked) == PROGRESSIVE):
        what = f"{len(marked)} numbers are marked, 1 to {MOST_MARKED} are, or {PROGRESSIVE}"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    return marked


def verify_draw(drawn: Sequence[int]) -> None:
    """Raise RuleViolation unless 20 different balls of 80 were drawn."""
    if len(drawn) != DRAWN or len(set(drawn)) != DRAWN:
        what = f"{DRAWN} different balls are drawn, found {len(set(drawn))} of {len(drawn)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")
    for ball in drawn:
        if not 1 <= ball <= NUMBERS:
            what = f"ball {ball} is not one of 1 to {NUMBERS}"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")


def verify_pays(pays: PayTable) -> None:
    """Raise RuleViolation unless every entry is possible and pays something."""
    for marked, hits in pays.items():
        for hit, times in hits.items():
            most = min(marked, DRAWN)
            if not (1 <= marked <= MOST_MARKED or marked == PROGRESSIVE) or not 0 <= hit <= most:
                what = f"{hit} of {marked} marked numbers cannot be hit"
                raise RuleViolation(LIMITS_INVALID, what, f"pays.{marked}")
            if times <= 0:
                raise RuleViolation(LIMITS_INVALID, "a prize is above 0", f"pays.{marked}.{hit}")


def prize(
    marked: Collection[int],
    draws: Sequence[Collection[int]],
    stake: int,
    pays: PayTable,
    most: int | None,
) -> int:
    """Return what a form wins over the games of its series, cents. most: of one payment.

    Raises RuleViolation if a part of a cent would be paid.
    """
    if stake % len(draws):
        what = f"stake {stake} does not divide by the {len(draws)} games of the series"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
    total = 0
    for drawn in draws:
        hit = len(set(marked).intersection(drawn))
        amount = pays.get(len(marked), {}).get(hit, Fraction(0)) * (stake // len(draws))
        if amount.denominator > 1:
            what = f"{hit} of {len(marked)} would pay a part of a cent on {stake}"
            raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
        total += int(amount) if most is None else min(int(amount), most)
    return total


def verify_games(games: int, where: str) -> None:
    """Raise RuleViolation unless a form may be for this many games."""
    if not 1 <= games <= MOST_GAMES:
        what = f"{games} games, a series is of up to {MOST_GAMES}"
        raise RuleViolation(SELECTION_INVALID, what, where)


def verify_form(stake: int, games: int, least: int) -> None:
    """Raise RuleViolation if the stake per game of a form is below the minimum, cents."""
    if stake < least * games:
        what = f"stake {stake} for {games} games is below {least} each (hc2011 4:3(8))"
        raise RuleViolation(BELOW_MINIMUM, what, "stake")


def verify_placed(
    marked: Collection[int], whole: int, pays: PayTable, minimum: int, games: int = 1
) -> None:
    """Raise RuleViolation unless a form can be placed. minimum: cents of a game, and the step.

    A valid form can win something, and every draw pays whole cents.
    """
    if whole % games:
        what = f"stake {whole} does not divide by the {games} games of the series"
        raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")
    stake = whole // games
    if len(marked) not in pays:
        what = f"{len(marked)} numbers are marked, the table pays {' '.join(map(str, pays))}"
        raise RuleViolation(BET_NOT_OFFERED, what, "on")
    if stake < minimum:
        raise RuleViolation(BELOW_MINIMUM, f"stake {stake} is below {minimum}", "stake")
    if stake % minimum:
        raise RuleViolation(
            NOT_A_MULTIPLE, f"stake {stake} is not a multiple of {minimum}", "stake"
        )
    for hit, times in pays[len(marked)].items():
        if stake % times.denominator:
            what = f"{hit} of {len(marked)} would pay a part of a cent on {stake}"
            raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")


BET = "numbers"
_ARTICLES = {
    "hc2011": ("hc2011 4:3(4)", "hc2011 1:1(14)"),
    "hc2023": ("hc2023 5:2(3)", "hc2023 1:1(15)"),
}
"""Articles by edition: of a payment, and of a void draw, which the chapter does not cover."""
_MOST = "hc2011 4:3(8)"
_LEFT = {f"games{left}": left for left in range(1, MOST_GAMES)}
"""States of a form: how many games are left, including the next one drawn."""
_HITS = [str(n) for n in range(DRAWN + 1)]

_Number = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": NUMBERS})]
_Positive = Annotated[int, Meta(extra_json_schema={"minimum": 1})]


class Form(amounts.Bet, frozen=True, kw_only=True):
    """A form. stake: cents for all games of the series; with a state, for those left."""

    on: Annotated[
        tuple[_Number, ...],
        Meta(
            description="Numbers marked, low to high: 1 to 15, or 20.",
            extra_json_schema={"minItems": 1, "maxItems": PROGRESSIVE},
        ),
    ]
    games: Annotated[
        int | None,
        Meta(
            description="Games of the form, settled draw by draw.",
            extra_json_schema={"minimum": 1, "maximum": MOST_GAMES},
        ),
    ] = None
    state: Annotated[
        Text | None,
        Meta(
            description="Of the last settlement: games left.",
            extra_json_schema={"enum": [None, *_LEFT]},
        ),
    ] = None


class KenoOutcome(records.Outcome, frozen=True, kw_only=True):
    """The balls drawn, of one game or of each of a series."""

    drawn: Annotated[
        tuple[_Number | tuple[_Number, ...], ...] | None,
        Meta(description=f"{DRAWN} numbers, or a list of such lists."),
    ] = None


class KenoTable(Declared, frozen=True, kw_only=True):
    """The pay table and limits of the forms."""

    pays: Annotated[
        dict[Text, dict[Text, _Positive | tuple[_Positive, ...]]] | None,
        Meta(description="Times the stake of a game, by numbers marked, by numbers hit."),
    ] = None
    maximum_payment: Annotated[
        _Positive | None,
        Meta(description="Cents in one game; left out: hc2011 2500000, hc2023 none."),
    ] = None
    minimum: Annotated[
        Stake | None,
        Meta(description="Cents; with it a form is verified as at placement, as of one game."),
    ] = None


class Record(records.Record, frozen=True, kw_only=True):
    """Forms of one game of keno, or of a series."""

    bets: tuple[Form, ...]
    outcome: KenoOutcome
    table: KenoTable


def _times(prize: int | tuple[int, ...], hit: str) -> Fraction:
    """Return the payment per stake: an integer, or [parts, out of how many]."""
    if isinstance(prize, int):
        return Fraction(prize)
    if len(prize) != 2 or prize[1] < 1:
        raise RuleViolation(LIMITS_INVALID, "a prize is [parts, of so many]", hit)
    return Fraction(*prize)


def _pays(
    table: Mapping[str, Mapping[str, int | tuple[int, ...]]] | None,
) -> dict[int, dict[int, Fraction]]:
    if table is None:
        what = "no edition prints the pay table of Keno: give it in pays"
        raise RuleViolation(LIMITS_INVALID, what, "pays")
    pays = {}
    with within("pays"):
        verify_names(table, _HITS[1:])
        for marked, hits in table.items():
            with within(marked):
                verify_names(hits, _HITS)
                pays[int(marked)] = {int(hit): _times(prize, hit) for hit, prize in hits.items()}
    verify_pays(pays)
    return pays


def _draws(drawn: Sequence[int | tuple[int, ...]]) -> list[tuple[int, ...]]:
    series = [each for each in drawn if isinstance(each, tuple)]
    single = tuple(each for each in drawn if isinstance(each, int))
    if series and single:
        raise RuleViolation(WRONG_TYPE, "drawn has numbers beside lists of them", "drawn")
    for draw in series or [single]:
        verify_draw(draw)
    return series or [single]


def _form(form: Form) -> CompiledBet:
    """Return a form as a bet.

    chance: the numbers marked, and the games left including the one drawn.
    """
    if form.bet != BET:
        raise RuleViolation(UNKNOWN_BET, f"the only bet is {BET}", "bet")
    if form.games is not None:
        verify_games(form.games, "games")
    left = form.games or 1
    if form.state is not None:
        left = _LEFT.get(form.state, 0)
        if form.games is None or not 0 < left < form.games:
            games = left if form.games is None else form.games
            what = f"a form of {games} games is in no state {form.state!r}"
            raise RuleViolation(STATE_NOT_POSSIBLE, what, "state")
    bet = undecided(form, (marked_of(form.on), left))
    return replaced(bet, state=form.state)


def _minimum(table: KenoTable, *, old: bool) -> int | None:
    minimum = table.minimum
    if minimum is not None:
        verify_minimum(minimum)
        if old and minimum < LEAST_2011:
            what = f"minimum {minimum} is below {LEAST_2011} (hc2011 4:3(8))"
            raise RuleViolation(LIMITS_INVALID, what, "minimum")
    return minimum


def _play(record: Record) -> Round:
    """Return the forms with what each is paid."""
    if record.rules not in _ARTICLES:
        what = f"{shown(record.rules)} has no keno, it is in: {' '.join(_ARTICLES)}"
        raise RuleViolation(GAME_NOT_IN_RULES, what, "rules")
    pays_article, article = _ARTICLES[record.rules]
    old = record.rules == "hc2011"
    with within("table"):
        pays = _pays(record.table.pays)
        most = record.table.maximum_payment
        if most is not None and most < 1:
            what = f"a payment is at least 1 cent, not {most}"
            raise RuleViolation(LIMITS_INVALID, what, "maximum_payment")
        minimum = _minimum(record.table, old=old)
    most = MOST_PAID_2011 if most is None and old else most
    bets = placed(record.bets, _form)
    if minimum is not None:
        for place, bet in enumerate(bets):
            with within(f"bets[{place}]"):
                if bet.state is None:
                    verify_placed(bet.chance[0], bet.stake, pays, minimum, bet.chance[1])
    if not record.outcome.has_result():
        return Round([_void(bet, article) for bet in bets], KEY)
    with within("outcome"):
        draws = _draws(record.outcome.drawn or ())
    settled = []
    for place, bet in enumerate(bets):
        marked, left = bet.chance
        with within(f"bets[{place}]"):
            if left > 1 and len(draws) > 1:
                what = "a form with games is settled draw by draw, but several draws are given"
                raise RuleViolation(STATE_NOT_POSSIBLE, what, "games")
            verify_form(bet.stake, max(left, len(draws)), LEAST_2011 if old else 1)
            if left > 1:
                settled.append(_one_of(bet, draws[0], (pays, most), pays_article))
                continue
            amount = prize(marked, draws, bet.stake, pays, most)
            rule = _cited(pays_article, amount, prize(marked, draws, bet.stake, pays, None))
            settled.append(came_to(bet, rule, win=amount))
    return Round(settled, KEY)


def _cited(article: str, paid: int, won: int) -> str:
    """Return the citation of a payment. won: without the maximum, which hc2011 4:3(8) prints."""
    return article if paid == won or not article.startswith("hc2011") else over(_MOST, article)


def _void(bet: CompiledBet, article: str) -> CompiledBet:
    """A void game does not count in the series: a form in progress waits for the next one."""
    return decided(bet, void(article) if bet.state is None else stand(article, state=bet.state))


def _one_of(
    bet: CompiledBet, drawn: tuple[int, ...], paying: tuple[PayTable, int | None], rule: str
) -> CompiledBet:
    """Settle one game of a series: its part of the stake is spent, the rest stays in play."""
    (marked, left), (pays, most) = bet.chance, paying
    if bet.stake % left:
        what = f"stake {bet.stake} does not divide by the {left} games left"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
    amount = prize(marked, [drawn], bet.stake // left, pays, most)
    rule = _cited(rule, amount, prize(marked, [drawn], bet.stake // left, pays, None))
    won, stays = Fraction(amount, bet.stake), Fraction(left - 1, left)
    state = f"games{left - 1}"
    return decided(bet, verdict(WIN if amount else PRISON, rule, win=won, live=stays, state=state))


_EXAMPLE = {
    "rules": "hc2023",
    "game": "keno",
    "bets": [{"id": "1", "bet": BET, "on": [7, 21], "stake": 200}],
    "outcome": {"drawn": list(range(2, 41, 2))},
    "table": {"pays": {"2": {"2": 12}}},
}
GAME = records.RecordGame(
    name="keno",
    measured="player",
    drawing=Drawing(counts=(DRAWN, NUMBERS)),
    record=Record,
    play=_play,
    constraints={
        "properties": {"rules": {"enum": list(_ARTICLES)}, "bets": only_bet(BET)},
        "examples": [_EXAMPLE],
    },
)
