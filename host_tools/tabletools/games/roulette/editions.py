"""Editions and variants of roulette: which bets, at which odds, what zero does, which article.

hc2011: Holland Casino, Game Rules, December 2011. hc2023: Holland Casino, Spelreglement,
November 2023. French and Quick are single-zero games (READING-52).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tabletools.games.roulette.layout import DOUBLE_ZERO, KINDS, SINGLE_ZERO, TWELVES, Wheel
from tabletools.rules.citation import cite
from tabletools.rules.codes.bets import UNKNOWN_RULES, UNKNOWN_VARIANT, VARIANT_NOT_IN_RULES
from tabletools.rules.money import Odds
from tabletools.rules.violation import RuleViolation, shown

LOSE_ALL = "lose_all"
LOSE_HALF = "lose_half"
CHOICE = "choice"
"""What an even chance does at zero: loses all, loses half, or the player chooses between losing
half and leaving the stake en prison (rulebook 3.3)."""

_ODDS: Mapping[str, Odds] = {
    "straight": (35, 1),
    "split": (17, 1),
    "street": (11, 1),
    "corner": (8, 1),
    "top_line": (6, 1),
    "six_line": (5, 1),
    "dozen": (2, 1),
    "column": (2, 1),
    "even": (1, 1),
    "odd": (1, 1),
    "low": (1, 1),
    "high": (1, 1),
    "red": (1, 1),
    "black": (1, 1),
}
"""hc2023 2:2(1), 2:3(2), 2:3(3), 2:4(2); hc2011 2:2(1), 2:3(2), 2:3(4): the same in both."""


@dataclass(frozen=True, eq=False, slots=True)
class RouletteRules:
    """The rules of one variant in one edition. There is one object for each.

    odds: by kind, only the kinds offered. zero: LOSE_ALL, LOSE_HALF or CHOICE. odds_article,
    zero_article (outside bets at a zero), top_line_article, void_article, offer_article (tables
    without some bets): as cited in settlements.
    """

    edition: str
    variant: str
    wheel: Wheel
    odds: Mapping[str, Odds]
    zero: str
    odds_article: str
    zero_article: str
    top_line_article: str
    void_article: str
    offer_article: str

    @property
    def name(self) -> str:
        """Edition and variant as messages name them."""
        return f"{self.edition} {self.variant}"


def _rules(
    edition: str, variant: str, zero: str, articles: str, *, without: tuple[str, ...] = ()
) -> RouletteRules:
    """Build one variant. articles: odds, zero, top line, offer; `-` where there is none.

    `a+b`: a overrides or applies b.
    """
    wheel = DOUBLE_ZERO if variant == "american00" else SINGLE_ZERO
    offered = {
        kind: _ODDS[kind] for kind in KINDS if wheel.positions[kind] and kind not in without
    }
    cited = [cite(edition, article) for article in articles.split()]
    odds_article, zero_article, top_line_article, offer_article = cited
    return RouletteRules(
        edition=edition,
        variant=variant,
        wheel=wheel,
        odds=offered,
        zero=zero,
        odds_article=odds_article,
        zero_article=zero_article,
        top_line_article=top_line_article,
        void_article=f"{edition} 2:1(2)",
        offer_article=offer_article,
    )


_ALL: tuple[RouletteRules, ...] = (
    _rules("hc2011", "french", CHOICE, "2:2(1) 2:2(1) - 2:2(2)"),
    # 2:3(2): 2:2 applies, except paragraph 1 under b (en prison).
    _rules("hc2011", "american", LOSE_HALF, "2:3(2)+2:2(1) 2:3(2)+2:2(1) - 2:2(2)"),
    _rules("hc2011", "american00", LOSE_ALL, "2:3(2)+2:2(1) 2:3(3)+2:2(1) 2:3(4) 2:2(2)"),
    _rules("hc2023", "french", CHOICE, "2:2(1) 2:2(1) - 2:2(2)"),
    _rules("hc2023", "american", LOSE_HALF, "2:3(2) 2:3(2) - 2:3(4)"),
    _rules("hc2023", "american00", LOSE_ALL, "2:3(2) 2:3(2) 2:3(3)+2:3(2) 2:3(4)"),
    _rules("hc2023", "quick", LOSE_ALL, "2:4(2) 2:4(2) - 2:4(3)", without=TWELVES),
)
_BY_NAME = {(rules.edition, rules.variant): rules for rules in _ALL}
EDITIONS: tuple[str, ...] = tuple(dict.fromkeys(rules.edition for rules in _ALL))
VARIANTS: tuple[str, ...] = tuple(dict.fromkeys(rules.variant for rules in _ALL))


def all_rules() -> tuple[RouletteRules, ...]:
    """Return every variant of every edition."""
    return _ALL


def verify_rules(edition: str, variant: str) -> None:
    """Raise RuleViolation unless the edition has the variant."""
    if edition not in EDITIONS:
        what = f"rules {shown(edition)} are not known; known: {' '.join(EDITIONS)}"
        raise RuleViolation(UNKNOWN_RULES, what, "rules")
    if variant not in VARIANTS:
        what = f"variant {shown(variant)} is not known; known: {' '.join(VARIANTS)}"
        raise RuleViolation(UNKNOWN_VARIANT, what, "variant")
    if (edition, variant) not in _BY_NAME:
        where = " ".join(rules.edition for rules in _ALL if rules.variant == variant)
        what = f"{edition} has no {variant} roulette, it is in: {where}"
        raise RuleViolation(VARIANT_NOT_IN_RULES, what, "variant")


def rules_of(edition: str, variant: str) -> RouletteRules:
    """Return the rules of a variant; raises RuleViolation as `verify_rules` does."""
    verify_rules(edition, variant)
    return _BY_NAME[edition, variant]
