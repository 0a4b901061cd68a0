"""Which paragraphs decide what a jackpot bet is paid, by edition and game (rulebook 10)."""

from collections.abc import Mapping
from typing import NamedTuple

from tabletools.games.jackpot.scheme import Entry, Meter, Payment
from tabletools.rules.citation import cite, over, paying

GREEK = "gr2003"
NOT_WON = "§9β(1)+§9β(4)+§9β(5)"
"""gr2003: the combinations that win; without one of them the bet is lost."""
_FOLDED = {
    ("hc2011", "caribbean"): "hc2011 3:6(10)",
    ("hc2011", "multi_poker"): "hc2011 3:9(2)",
}
"""Only players with a bet wager are eligible."""


class Round(NamedTuple):
    """What decides besides the hand. article: of the prizes of the variant."""

    key: tuple[str, str]
    article: str
    meters: Mapping[str, Meter]
    """As they stand when the cards are dealt."""
    winners: Mapping[str | None, int]
    """Of a whole meter, by its name."""
    grows: bool
    """Whether the amount grows, or is fixed (gr2003)."""


def citation_of(round_: Round, entry: Entry, payment: Payment, *, is_folded: bool) -> str:
    """Return the citation of one bet. is_folded: its hand was, and does not win."""
    if is_folded and round_.key in _FOLDED:
        return over(_FOLDED[round_.key], round_.article)
    if round_.key[0] == GREEK:
        return _greek(round_, entry)
    article = round_.article
    wholes = [prize.meter for prize in entry.prizes if prize.meter is not None]
    if wholes:
        article = _of_meter(round_, wholes[0], payment)
    odds = [f"{prize.times}:1" for prize in entry.prizes if prize.times]
    return over(*(paying(article, each) for each in [*odds, *wholes])) if odds else article


def _greek(round_: Round, entry: Entry) -> str:
    """§9β: one royal flush, several of a fixed or of a growing amount, a tenth, a bonus."""
    for prize in entry.prizes:
        if prize.meter is None:
            return f"{GREEK} §9β(5)"
        if prize.share > 1:
            return f"{GREEK} §9β(4)"
        case = 1 if round_.winners[prize.meter] == 1 else 3 if round_.grows else 2
        return f"{GREEK} §9β({case})"
    return cite(GREEK, NOT_WON)


def _of_meter(round_: Round, name: str, payment: Payment) -> str:
    """Return what decides the amount of a whole meter, where other paragraphs do."""
    meter = round_.meters[name]
    if round_.key == ("hc2011", "caribbean"):
        is_ruled = round_.winners[name] > 1 or meter.level < meter.start
        return over("hc2011 3:6(11)", round_.article) if is_ruled else round_.article
    if round_.key == ("hc2011", "multi_poker"):
        article = over("hc2011 3:9(5)", round_.article)
        is_ruled = meter.level < meter.start or payment.win not in meter
        return over("hc2011 3:9(6)", article) if is_ruled else article
    return round_.article
