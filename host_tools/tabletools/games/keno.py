"""Keno: 1 to 15 numbers of 80, 20 are drawn. hc2023 5:2, hc2011 4:3 (rulebook 12.2).

The pay table is data of the table: no edition prints one. A form of a series has one stake for all
its games. It is settled with all its draws at once, or draw by draw, with the stake of the games
to come still in play. The stake is the price of the form; a prize does not include it.

A record has the forms, the balls drawn, and the pay table as data. `{"drawn":[...]}` is one game,
a list of such lists is a series, for which a form has one stake. A form with `games` is settled
draw by draw; its state says how many games are left. A form with `groups` plays every set of
them, as many as `ways` says, each as a form of its own for an equal part of the stake.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
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
"""hc2023 5:2(6), hc2011 4:3(7): most games of a series, unless the table has longer ones."""
LONGEST = 2000
"""Most games of a longer series: more than a gaming day has."""
MOST_SETS = 1000
"""Most sets of groups of one form."""

PayTable = Mapping[int, Mapping[int, Fraction]]
"""Payment per stake of one game, by numbers marked and numbers hit."""


def marked_of(on: Sequence[object], where: str = "on") -> tuple[int, ...]:
    """Return the numbers marked; raise RuleViolation unless they are 1 to 15, or 20, in order."""
    marked = tuple(n for n in on if isinstance(n, int) and 1 <= n <= NUMBERS)
    if len(marked) != len(on) or list(marked) != sorted(set(marked)):
        what = f"numbers from 1 to {NUMBERS} are marked, each once, from low to high"
        raise RuleViolation(SELECTION_INVALID, what, where)
    if not (1 <= len(marked) <= MOST_MARKED or len(marked) == PROGRESSIVE):
        what = f"{len(marked)} numbers are marked, 1 to {MOST_MARKED} are, or {PROGRESSIVE}"
        raise RuleViolation(SELECTION_INVALID, what, where)
    return marked


def sets_of(groups: Sequence[Sequence[int]], ways: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of every set of groups. ways: how many groups are in a set.

    hc2023 5:2(6), hc2011 4:3(7): groups of equal amounts of numbers. Raises RuleViolation.
    """
    numbers = [number for group in groups for number in group]
    if len(groups) < 2 or len({len(group) for group in groups}) != 1 or not groups[0]:
        raise RuleViolation(SELECTION_INVALID, "two or more groups are of equal size", "groups")
    if len(set(numbers)) != len(numbers):
        raise RuleViolation(SELECTION_INVALID, "a number is in one group, once", "groups")
    if list(ways) != sorted(set(ways)) or not ways or not 1 <= ways[0] <= ways[-1] <= len(groups):
        what = f"ways are from 1 to the {len(groups)} groups, each once, from low to high"
        raise RuleViolation(SELECTION_INVALID, what, "ways")
    count = sum(comb(len(groups), way) for way in ways)
    if count > MOST_SETS:
        what = f"{count} sets of groups, a form has up to {MOST_SETS}"
        raise RuleViolation(SELECTION_INVALID, what, "ways")
    with within("groups"):
        return tuple(
            marked_of(sorted(number for group in some for number in group), "")
            for way in ways
            for some in combinations(groups, way)
        )


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
    sets: Sequence[Collection[int]],
    draws: Sequence[Collection[int]],
    stake: int,
    pays: PayTable,
    most: int | None,
) -> int:
    """Return what a form wins over the games of its series, cents. most: of one payment.

    sets: the numbers marked, each for an equal part of the stake. Raises RuleViolation if a part
    of a cent would be paid.
    """
    if stake % (len(draws) * len(sets)):
        what = f"stake {stake} does not divide by the {len(draws)} games of the series"
        if len(sets) > 1:
            what += f" and the {len(sets)} sets of groups"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
    part, total = stake // (len(draws) * len(sets)), 0
    for drawn in draws:
        game = Fraction(0)
        for marked in sets:
            hit = len(set(marked).intersection(drawn))
            game += pays.get(len(marked), {}).get(hit, Fraction(0)) * part
            if game.denominator > 1:
                what = f"{hit} of {len(marked)} would pay a part of a cent on {stake}"
                raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
        total += int(game) if most is None else min(int(game), most)
    return total


def verify_games(games: int, most: int, where: str) -> None:
    """Raise RuleViolation unless a form may be for this many games."""
    if not 1 <= games <= most:
        what = f"{games} games, a series is of up to {most}"
        raise RuleViolation(SELECTION_INVALID, what, where)


def verify_form(stake: int, parts: int, least: int) -> None:
    """Raise RuleViolation if a form is below the minimum, cents. parts: games times sets."""
    if stake < least * parts:
        what = f"stake {stake} for {parts} games or sets is below {least} each (hc2011 4:3(8))"
        raise RuleViolation(BELOW_MINIMUM, what, "stake")


def verify_placed(
    sets: Collection[Collection[int]], whole: int, pays: PayTable, minimum: int, games: int = 1
) -> None:
    """Raise RuleViolation unless a form can be placed.

    minimum: cents of a game, of each set of groups (hc2011 4:3(8): card or combination), and the
    step. A valid form can win something, and every draw pays whole cents.
    """
    if whole % (games * len(sets)):
        what = f"stake {whole} does not divide by the {games} games of the series"
        if len(sets) > 1:
            what += f" and the {len(sets)} sets of groups"
        raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")
    stake = whole // (games * len(sets))
    counts = list(dict.fromkeys(map(len, sets)))
    if unpaid := [count for count in counts if count not in pays]:
        what = f"{unpaid[0]} numbers are marked, the table pays {' '.join(map(str, pays))}"
        raise RuleViolation(BET_NOT_OFFERED, what, "on" if len(sets) == 1 else "groups")
    if stake < minimum:
        raise RuleViolation(BELOW_MINIMUM, f"stake {stake} is below {minimum}", "stake")
    if stake % minimum:
        raise RuleViolation(
            NOT_A_MULTIPLE, f"stake {stake} is not a multiple of {minimum}", "stake"
        )
    for count in counts:
        for hit, times in pays[count].items():
            if stake % times.denominator:
                what = f"{hit} of {count} would pay a part of a cent on {stake}"
                raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")


BET = "numbers"
_ARTICLES = {
    "hc2011": ("hc2011 4:3(4)", "hc2011 1:1(14)"),
    "hc2023": ("hc2023 5:2(3)", "hc2023 1:1(15)"),
}
"""Articles by edition: of a payment, and of a void draw, which the chapter does not cover."""
_MOST = "hc2011 4:3(8)"
_SETS = {"hc2011": "hc2011 4:3(7)", "hc2023": "hc2023 5:2(6)"}
"""Articles of groups of numbers."""
_LEFT = re.compile(r"games([1-9][0-9]{0,3})")
"""States of a form: how many games are left, including the next one drawn."""
_HITS = [str(n) for n in range(DRAWN + 1)]

_Number = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": NUMBERS})]
_Positive = Annotated[int, Meta(extra_json_schema={"minimum": 1})]


class Form(amounts.Bet, frozen=True, kw_only=True):
    """A form. stake: cents for all games of the series; with a state, for those left."""

    on: Annotated[
        tuple[_Number, ...] | None,
        Meta(
            description="Numbers marked, low to high: 1 to 15, or 20; left out with groups.",
            extra_json_schema={"minItems": 1, "maxItems": PROGRESSIVE},
        ),
    ] = None
    groups: Annotated[
        tuple[tuple[_Number, ...], ...] | None,
        Meta(description="Groups of as many numbers each, played in sets; instead of on."),
    ] = None
    ways: Annotated[
        tuple[int, ...] | None,
        Meta(description="How many groups are in a set, low to high; left out: 1."),
    ] = None
    games: Annotated[
        int | None,
        Meta(
            description="Games of the form, settled draw by draw; up to 20, or longest_series.",
            extra_json_schema={"minimum": 1, "maximum": LONGEST},
        ),
    ] = None
    state: Annotated[
        Text | None,
        Meta(
            description="Of the last settlement: games left.",
            extra_json_schema={"pattern": f"^{_LEFT.pattern}$"},
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
    longest_series: Annotated[
        int | None,
        Meta(
            description="Most games of a series, within the gaming day; left out: 20.",
            extra_json_schema={"minimum": 1, "maximum": LONGEST},
        ),
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


def _sets(form: Form) -> tuple[tuple[int, ...], ...]:
    """Return the numbers that a form plays, by set of its groups; of one without groups, all."""
    if (form.on is None) == (form.groups is None):
        which = "neither is" if form.on is None else "both are"
        what = f"one of on and groups is needed, {which} given"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    if form.groups is not None:
        return sets_of(form.groups, (1,) if form.ways is None else form.ways)
    if form.ways is not None:
        raise RuleViolation(SELECTION_INVALID, "ways are of groups, there are none", "ways")
    assert form.on is not None
    return (marked_of(form.on),)


def _form(form: Form, longest: int) -> CompiledBet:
    """Return a form as a bet. longest: most games of a series.

    chance: the numbers of each set, and the games left including the one drawn.
    """
    if form.bet != BET:
        raise RuleViolation(UNKNOWN_BET, f"the only bet is {BET}", "bet")
    if form.games is not None:
        verify_games(form.games, longest, "games")
    left = form.games or 1
    if form.state is not None:
        state = _LEFT.fullmatch(form.state)
        left = int(state[1]) if state else 0
        if form.games is None or not 0 < left < form.games:
            games = left if form.games is None else form.games
            what = f"a form of {games} games is in no state {form.state!r}"
            raise RuleViolation(STATE_NOT_POSSIBLE, what, "state")
    bet = undecided(form, (_sets(form), left))
    return replaced(bet, state=form.state)


def _longest(table: KenoTable) -> int:
    longest = MOST_GAMES if table.longest_series is None else table.longest_series
    if not 1 <= longest <= LONGEST:
        what = f"{longest} games are no series; allowed: 1 to {LONGEST}"
        raise RuleViolation(LIMITS_INVALID, what, "longest_series")
    return longest


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
        longest = _longest(record.table)
    most = MOST_PAID_2011 if most is None and old else most
    bets = placed(record.bets, lambda form: _form(form, longest))
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
        sets, left = bet.chance
        with within(f"bets[{place}]"):
            if left > 1 and len(draws) > 1:
                what = "a form with games is settled draw by draw, but several draws are given"
                raise RuleViolation(STATE_NOT_POSSIBLE, what, "games")
            parts = max(left, len(draws)) * len(sets)
            verify_form(bet.stake, parts, LEAST_2011 if old else 1)
            cited = pays_article if len(sets) == 1 else over(_SETS[record.rules], pays_article)
            if left > 1:
                settled.append(_one_of(bet, draws[0], (pays, most), cited))
                continue
            amount = prize(sets, draws, bet.stake, pays, most)
            rule = _citation(cited, amount, prize(sets, draws, bet.stake, pays, None))
            settled.append(came_to(bet, rule, win=amount))
    return Round(settled, KEY)


def _citation(article: str, paid: int, won: int) -> str:
    """Return the citation of a payment. won: without the maximum, which hc2011 4:3(8) prints."""
    return article if paid == won or not article.startswith("hc2011") else over(_MOST, article)


def _void(bet: CompiledBet, article: str) -> CompiledBet:
    """A void game does not count in the series: a form in progress waits for the next one."""
    return decided(bet, void(article) if bet.state is None else stand(article, state=bet.state))


def _one_of(
    bet: CompiledBet, drawn: tuple[int, ...], paying: tuple[PayTable, int | None], rule: str
) -> CompiledBet:
    """Settle one game of a series: its part of the stake is spent, the rest stays in play."""
    (sets, left), (pays, most) = bet.chance, paying
    if bet.stake % left:
        what = f"stake {bet.stake} does not divide by the {left} games left"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
    amount = prize(sets, [drawn], bet.stake // left, pays, most)
    rule = _citation(rule, amount, prize(sets, [drawn], bet.stake // left, pays, None))
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
