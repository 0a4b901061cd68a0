"""Black Jack, hc2011 and hc2023 3:2 with their variants, and de-live (rulebook 9.11).

A round is one box against the bank. The stakes show the decisions: `split` and `double` carry the
number of their hand, `insurance` is half the bet. The bank may have fewer cards than it draws
if no bet of the box depends on them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from tabletools.games.blackjack.hands import Deal, verify_deal
from tabletools.games.blackjack.stakes import (
    BET,
    DOUBLE,
    INSURANCE,
    MOST_HANDS,
    SPLIT,
    doubled_of,
    verify_stakes,
)
from tabletools.games.blackjack.terms import DE_LIVE, Articles, Terms
from tabletools.games.blackjack.verdicts import (
    decide_insurance,
    decide_jack,
    decide_match,
    decide_side,
    decide_stake,
    results_of,
)
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import card_kind
from tabletools.rules.citation import cite
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.game import Game, Kind, PrintedTable
from tabletools.rules.selection import OneOf
from tabletools.rules.verdict import VOID
from tabletools.rules.violation import RuleViolation, within


def _verify(terms: Terms, bets: Sequence[CompiledBet], deal: Deal) -> None:
    """Raise RuleViolation unless cards and stakes follow the rules, and every bet is decided."""
    with within("outcome"):
        verify_deal(deal, doubled_of(bets), terms)
    verify_stakes(bets, deal, terms)
    with within("outcome"):
        results = results_of(terms, bets, deal)
    for bet in bets:
        if bet.verdicts[results].outcome == VOID and not deal.voided:
            what = f"the bank draws to 17 points, and bet {bet.id!r} depends on it"
            raise RuleViolation(DEAL_INCOMPLETE, what, "outcome.bank")


_HAND = OneOf("the number of a hand, from 1", tuple((n,) for n in range(1, MOST_HANDS + 1)))
_SIDES_2011 = (("perfect_pairs", "3:2(18)"),)
_SIDES_2023 = (("pair_pursuit", "3:2(12)"), ("21+3", "3:2(13)"))


_SIDE_MAXIMA = {"bj_plus": "3:2(14)", "perfect_pairs": "3:2(17)"}
"""Paragraphs of the maxima of hc2011, by bet."""


def _kinds(terms: Terms) -> dict[str, Kind]:
    articles, broken = terms.articles, terms.articles.void
    stake = partial(decide_stake, terms)
    kinds = {
        BET: card_kind(stake, broken, _HAND, unit=terms.natural[1], default=(1,)),
        SPLIT: card_kind(stake, broken, _HAND, default=(2,), follows=True),
        DOUBLE: card_kind(stake, broken, _HAND, default=(1,), follows=True),
    }
    if not terms.casino21:
        insured = partial(decide_insurance, articles.insurance)
        kinds[INSURANCE] = card_kind(insured, broken, _HAND, default=(1,), follows=True)
    if terms.switch:
        kinds["super_match"] = card_kind(partial(decide_match, "hc2011 3:2(22)", broken), broken)
        return kinds
    sides = {"hc2011": _SIDES_2011, "hc2023": _SIDES_2023}.get(terms.edition, ())
    for name, article in sides:
        rule = f"{terms.edition} {article}"
        kinds[name] = card_kind(partial(decide_side, name, rule, broken), broken)
    if terms.edition == "hc2011":
        jack = partial(decide_jack, terms.color_jack_by_color, "hc2011 3:2(14)", broken)
        kinds["bj_plus"] = card_kind(jack, broken)
    return kinds


def _bounds(terms: Terms, minimum: int) -> dict[str, tuple[int, int]]:
    """hc2011 3:2(14): BJ+ is exactly half the minimum; 3:2(17): Perfect Pairs at most that."""
    if terms.edition != "hc2011" or terms.switch:
        return {}
    return {"bj_plus": (minimum // 2, minimum // 2), "perfect_pairs": (1, minimum)}


@lru_cache(64)  # a table with options asks at each bet
def blackjack(terms: Terms) -> Game:
    """Return the game of one edition and variant."""
    kinds = _kinds(terms)
    sets_limits = terms.articles.offer.removeprefix(f"{terms.edition} ")
    printed = None if terms.edition == "hc2023" else PrintedTable(sets_limits)
    return Game(
        "blackjack",
        terms.edition,
        kinds,
        tuple(kinds),
        terms.articles.offer,
        printed,
        verify=partial(_verify, terms),
        bounds=partial(_bounds, terms),
        results=partial(results_of, terms),
        shared={BET: sets_limits} if terms.edition == "hc2011" else {},
        maximum_articles={name: _SIDE_MAXIMA[name] for name in kinds if name in _SIDE_MAXIMA},
    )


def _articles(edition: str, text: str) -> Articles:
    return Articles(
        **{
            name: cite(edition, article)
            for name, article in zip(Articles.__slots__, text.split(), strict=True)
        }
    )


_2023 = Terms(
    edition="hc2023",
    articles=_articles("hc2023", "3:2(3) 3:2(4) 3:2(5) 3:2(7) 3:2(8) 3:2(9) 3:1(7) 3:2"),
)
_2011 = Terms(
    edition="hc2011",
    articles=_articles("hc2011", "3:2(4) 3:2(5) 3:2(6) 3:2(8) 3:2(9) 3:2(10) 3:1(7) 3:2(3)"),
)
_LIVE = Terms(
    edition=DE_LIVE,
    articles=_articles("de-live BJ", "2.3 2.2 2.5.3 2.6 2.7 2.3 2.1.5 2.1.4"),
    sevens=False,
    most_hands=2,
    one_card_on_aces=False,
    doubles_on_nine=False,
    doubles_after_split=False,
)
TERMS: Mapping[tuple[str, str | None], Terms] = {
    ("hc2023", None): _2023,
    ("hc2023", "casino21"): replace(_2023, casino21=True, own="hc2023 3:2(14)"),
    ("hc2011", None): _2011,
    ("hc2011", "casino21"): replace(_2011, casino21=True, own="hc2011 3:2(19)"),
    ("hc2011", "1:1"): replace(_2011, natural=(1, 1), own="hc2011 3:2(20)"),
    ("hc2011", "6:5"): replace(_2011, natural=(6, 5), own="hc2011 3:2(21)"),
    ("hc2011", "switch"): replace(
        _2011, natural=(1, 1), switch=True, sevens=False, own="hc2011 3:2(22)"
    ),
    (DE_LIVE, None): _LIVE,
}
"""By edition and variant."""
NEEDS: Mapping[str, Callable[[Terms], bool]] = {
    "bank_wins_ties": lambda terms: terms.edition != DE_LIVE and not terms.casino21,
    "natural_push": lambda terms: terms.casino21,
    "five_cards": lambda terms: terms.casino21,
    "terminal": lambda terms: terms.edition == "hc2023",
    "one_card_on_aces": lambda terms: terms.edition == DE_LIVE,
    "color_jack_by_color": lambda terms: terms.edition == "hc2011" and not terms.switch,
}
"""Options of a table, and the terms that leave them open."""


def at_table(game: Game, chosen: Collection[str]) -> Game:
    """Return the game with the options a table has chosen.

    Raises RuleViolation at an option the game does not have.
    """
    terms = next(TERMS[key] for key, known in GAMES.items() if known is game)
    for name in chosen:
        if not NEEDS[name](terms):
            what = f"{name} is not an option of this edition and variant"
            raise RuleViolation(LIMITS_INVALID, what, name)
    options: dict[str, Any] = dict.fromkeys(chosen, True)
    if options.pop("terminal", False):
        options |= {"most_hands": 2, "sevens": False}
    return blackjack(replace(terms, **options))


GAMES: Mapping[tuple[str, str | None], Game] = {
    key: blackjack(terms) for key, terms in TERMS.items()
}
"""As settled without a table."""
