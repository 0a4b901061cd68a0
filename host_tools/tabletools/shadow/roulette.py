"""Roulette: the cloth enumerated, rulebook 3.2 to 3.4."""

import unicodedata
from fractions import Fraction
from functools import cache

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.verdict import Impossible, Verdict, half, lose, push, stand, win

# Numbers covered -> odds to 1.
ODDS = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 12: 2, 18: 1}
RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
NAMES = {
    "straight": "plein enplein",
    "split": "cheval acheval",
    "street": "transversale transversaleplein transversalepleine",
    "corner": "carre",
    "topline": "",
    "sixline": "transversalesimple sixain",
    "dozen": "douzaine",
    "column": "colonne",
    "even": "pair",
    "odd": "impair",
    "low": "manque",
    "high": "passe",
    "red": "rouge",
    "black": "noir",
}
KINDS = {name: kind for kind, more in NAMES.items() for name in (kind, *more.split())}
EVEN_CHANCES = {
    "even": {n for n in range(1, 37) if n % 2 == 0},
    "odd": {n for n in range(1, 37) if n % 2 == 1},
    "low": set(range(1, 19)),
    "high": set(range(19, 37)),
    "red": RED,
    "black": set(range(1, 37)) - RED,
}
# Bets that touch a zero. One zero: 0 is above 1, 2 and 3; two: 0 above 1 and 2, 00 above 2, 3.
ONE_ZERO = {
    "split": "0-1 0-2 0-3",
    "street": "0-1-2 0-2-3",
    "corner": "0-1-2-3",
}
TWO_ZEROS = {
    "split": "0-1 0-2 00-2 00-3 0-00",
    "street": "0-1-2 0-00-2 00-2-3",
    "topline": "0-00-1-2-3",
}
HALF = Fraction(1, 2)


def judge(play: Play) -> list[Verdict]:
    """Settle every bet of a round."""
    if play.variant is None:
        raise Impossible("roulette without a variant")
    zeros = ("0", "00") if play.variant == "american00" else ("0",)
    pocket = play.outcome.pocket
    if pocket is not None and pocket not in (*zeros, *map(str, range(1, 37))):
        raise Impossible(f"no pocket {pocket!r}")
    verdicts = []
    for bet in play.bets:
        names = _paragraphs(play.rules, play.variant, zeros, bet, pocket)
        verdicts.append(_bet(play.variant, zeros, bet, pocket).by(*names))
    return verdicts


def _paragraphs(
    rules: str, variant: str, zeros: tuple[str, ...], bet: Bet, pocket: str | None
) -> tuple[str, ...]:
    """Return what decides a bet: 2:3(2) applies 2:2(1), 2:3(3) overrides it."""
    if pocket is None:
        return ("2:1(2)",)
    kind = kind_of(bet.kind)
    is_top_line = kind == "topline"
    if rules == "hc2023":
        if is_top_line:
            return ("2:3(3)", "2:3(2)")
        return ({"french": "2:2(1)", "quick": "2:4(2)"}.get(variant, "2:3(2)"),)
    if variant == "french":
        return ("2:2(1)",)
    if is_top_line:
        return ("2:3(4)",)
    is_outside = kind in (*EVEN_CHANCES, "dozen", "column")
    if variant == "american00" and pocket in zeros and is_outside:
        return ("2:3(3)", "2:2(1)")
    return ("2:3(2)", "2:2(1)")


def _bet(variant: str, zeros: tuple[str, ...], bet: Bet, pocket: str | None) -> Verdict:
    stake, state = bet.stake, bet.state
    kind = kind_of(bet.kind)
    numbers = covered(kind, zeros, bet)
    if variant == "quick" and len(numbers) == 12:
        raise Impossible("Quick Roulette has no dozens and columns")
    if state and not (variant == "french" and kind in EVEN_CHANCES):
        raise Impossible(f"{kind} cannot be in state {state}")
    if pocket is None:
        return stand(stake, state)
    if pocket in numbers:
        return push(stake) if state else win(stake, ODDS[len(numbers)])
    if pocket not in zeros or kind not in EVEN_CHANCES:
        return lose(stake)
    if variant == "american":
        return half(stake, HALF)
    if variant != "french":
        return lose(stake)
    return _zero_on_french_cloth(stake, state, bet.choice == "prison")


def _zero_on_french_cloth(stake: int, state: str | None, goes_to_prison: bool) -> Verdict:
    if state is None:
        if goes_to_prison:
            return Verdict("prison", live=stake, state="prison1")
        return half(stake, HALF)
    if state == "prison2":
        return lose(stake)
    # The second zero: half of the stake is gone, and the same choice applies to the other half.
    if goes_to_prison:
        return Verdict("prison", live=stake * HALF, lost=stake * HALF, state="prison2")
    return half(stake, HALF * HALF)


def kind_of(name: str) -> str:
    """Return the kind of a bet from its English or French name."""
    letters = unicodedata.normalize("NFD", name.casefold())
    plain = "".join(letter for letter in letters if letter.isalpha() and letter.isascii())
    if plain not in KINDS:
        raise Impossible(f"no bet {name!r}")
    return KINDS[plain]


def covered(kind: str, zeros: tuple[str, ...], bet: Bet) -> frozenset[str]:
    """Return the numbers a bet covers."""
    places = cloth(zeros)[kind]
    named = bet.numbers
    if named is not None:
        numbers = frozenset(named)
    elif bet.place is not None:
        numbers = places[bet.place - 1]
    else:
        [numbers] = places
    if numbers not in places:
        raise Impossible(f"{kind} {'-'.join(sorted(numbers))} is not on the cloth")
    return numbers


@cache
def cloth(zeros: tuple[str, ...]) -> dict[str, list[frozenset[str]]]:
    """Return every place on a cloth by kind: twelve rows of three, and the zeros above them."""
    rows = [[row * 3 + 1, row * 3 + 2, row * 3 + 3] for row in range(12)]
    across = [[row[left], row[left + 1]] for row in rows for left in (0, 1)]
    down = [[n, n + 3] for n in range(1, 34)]
    numbers_by_kind: dict[str, list[list[int]]] = {
        "straight": [[n] for n in range(1, 37)],
        "split": across + down,
        "street": rows,
        "corner": [[*pair, pair[0] + 3, pair[1] + 3] for pair in across if pair[1] + 3 <= 36],
        "topline": [],
        "sixline": [[*rows[first], *rows[first + 1]] for first in range(11)],
        "dozen": [list(range(first, first + 12)) for first in (1, 13, 25)],
        "column": [list(range(first, 37, 3)) for first in (1, 2, 3)],
        **{kind: [list(numbers)] for kind, numbers in EVEN_CHANCES.items()},
    }
    places = {
        kind: [frozenset(map(str, numbers)) for numbers in some]
        for kind, some in numbers_by_kind.items()
    }
    places["straight"] += [frozenset([zero]) for zero in zeros]
    for kind, some in (TWO_ZEROS if len(zeros) == 2 else ONE_ZERO).items():
        places[kind] += [frozenset(text.split("-")) for text in some.split()]
    return places


# With the editions that have it.
JUDGED = {
    "roulette": (judge, "hc2011 hc2023"),
}
