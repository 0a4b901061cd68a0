"""Which paragraphs decide a bet at poker against the bank, rulebook 9.2 to 9.6."""

from typing import NamedTuple

Names = tuple[str, ...]


class Case(NamedTuple):
    """How a bet came out. sign: 1 the player's hand is higher, 0 equal, -1 lower.

    has_bonus: paid more than its stake by the showdown.
    """

    rules: str
    bet: str
    qualified: bool
    sign: int
    has_bonus: bool


FOLDS = {
    "caribbean": {"hc2011": "3:6(3)", "hc2023": "3:5(3)", "gr2003": "§5α"},
    "three_card": {"hc2011": "3:7(3)", "hc2023": "3:8(3)"},
    "four_card": {"hc2023": "3:7(3)"},
    "ultimate": {"hc2023": "3:6(4)"},
    "casino_holdem": {"hc2011": "3:8(4)"},
}
SIDES = {
    "pair_plus": {"hc2011": "3:7(9)", "hc2023": "3:8(9)"},
    "aces_up": {"hc2023": "3:7(8)"},
    "trips": {"hc2023": "3:6(11)"},
    "aa_bonus": {"hc2011": "3:8(5)"},
}


def of_fold(game: str, rules: str) -> Names:
    """Return the paragraph by which a folded stake is lost."""
    if game == "multi_poker":
        return (FOLDS["caribbean"][rules], "3:9(1)")
    return (FOLDS[game][rules],)


def of_side(name: str, rules: str) -> Names:
    """Return the paragraph of a side bet."""
    return (SIDES[name][rules],)


def of_showdown(game: str, case: Case) -> Names:
    """Return the paragraphs of ante, bet or blind, the deciding one first."""
    match game:
        case "caribbean":
            return _CARIBBEAN[case.rules](case)
        case "multi_poker":
            return (*_old_caribbean(case), "3:9(1)")
        case "three_card":
            return _three_card(case)
        case "four_card":
            return _four_card(case)
        case "ultimate":
            return _ultimate(case)
    return _casino_holdem(case)


def _old_caribbean(case: Case) -> Names:
    by_hand = "3:6(7)" if case.sign == 1 else "3:6(6)"
    return (by_hand,) if case.qualified else ("3:6(8)", by_hand)


def _new_caribbean(case: Case) -> Names:
    return ("3:5(8)",) if case.qualified and case.sign == 1 else ("3:5(7)",)


def _greek(case: Case) -> Names:
    if not case.qualified:
        return ("§6β",)
    if case.sign == 1:
        return ("§7", "§6α(1)") if case.bet == "bet" else ("§6α(1)",)
    return ("§6α(3)",) if case.sign == 0 else ("§6α(2)",)


_CARIBBEAN = {"hc2011": _old_caribbean, "hc2023": _new_caribbean, "gr2003": _greek}


def _three_card(case: Case) -> Names:
    chapter = "3:7" if case.rules == "hc2011" else "3:8"
    paragraph = 8 if not case.qualified else 7 if case.sign == 1 else 6
    plain = f"{chapter}({paragraph})"
    if case.has_bonus and paragraph != 7:
        return (f"{chapter}(7)", plain)
    return (plain,)


def _four_card(case: Case) -> Names:
    if case.bet == "ante" and (case.has_bonus or case.sign == -1):
        return ("3:7(7)", "3:7(6)")
    return ("3:7(6)",)


def _ultimate(case: Case) -> Names:
    if case.qualified:
        return ("3:6(8)",)
    if case.sign != 1:
        return ("3:6(10)",)
    return ("3:6(9)", "3:6(8)") if case.bet == "blind" and case.has_bonus else ("3:6(9)",)


def _casino_holdem(case: Case) -> Names:
    if not case.qualified:
        return ("3:8(7)",)
    if case.sign != 1:
        return ("3:8(8)",)
    return ("3:8(9)", "3:8(7)") if case.bet == "ante" else ("3:8(9)",)
