"""The power of each test: how many results find which bias in 9 of 10 cases.

Normal approximations of the tests at their levels, all tests of the machine made.
"""

import math
from collections.abc import Callable

from tabletools.audit import bias_mixture, sector_scan
from tabletools.audit.audit_machines import RANKS, SUITS, Kind, Machine
from tabletools.audit.card_tests import LONGEST_GAP
from tabletools.audit.chance import needed_spins
from tabletools.audit.error_budget import Test, levels
from tabletools.audit.tails import normal, normal_limit

BIASES = (0.05, 0.10, 0.20, 0.30, 0.50)
POWER = 0.9
SECTOR = 5
"""Fields of the sector in the table."""
WINDOWS = 16
"""Windows in the table: a history of some 50,000 results."""
DICE = 2
DRAWN = 1 / 4
"""Of the balls, as in Keno."""
DECKS = 8
DEALT = 3 / 4
"""Of a shoe."""
Needed = Callable[[int, float, float], int]
"""Of fields, level and bias: the results."""


def needed(test: Test, machine: Machine, level: float, bias: float) -> int:
    """Return the results in which a test at this level finds a bias of this relative height."""
    return _ROWS[test][1](machine.fields, level, bias)


def power_table(machine: Machine, level: float) -> str:
    """Return as text the results that each test needs. level: what one audit may spend."""
    tests = list(_TESTS[machine.kind])
    shares = levels(tests, level)
    lines = [
        f"{machine.name}: results that find a bias in {POWER:.0%} of cases, at the alarm level of"
        f" each test (together {level:.2g})"
    ]
    lines.append(f"{'test, and its bias':<30}" + "".join(f"{bias:>10.0%}" for bias in BIASES))
    for test in tests:
        cells = "".join(f"{needed(test, machine, shares[test], bias):>10,}" for bias in BIASES)
        lines += [f"{test.value:<30}{cells}", f"  {_ROWS[test][0]}"]
    lines.append("bias: how much more often than by chance, or the height of a sine")
    return "\n".join(lines)


def _field(fields: int, level: float, bias: float) -> int:
    return _share(1 / fields, level / fields, bias)


def _share(share: float, chance: float, bias: float) -> int:
    """Return the results in which a binomial test finds a share that is larger by `bias`."""
    deviations = (normal_limit(chance) + normal_limit(1 - POWER)) / bias
    return math.ceil(deviations**2 * (1 - share) / share)


def _sector(windows: int, groups: int = 1) -> Needed:
    def results(fields: int, level: float, bias: float) -> int:
        chance = sector_scan.sector_level(fields, windows, level / groups)
        return _share(SECTOR / fields, chance, bias)

    return results


def _mixture(fields: int, level: float, bias: float) -> int:
    chance = normal(bias_mixture.sector_deviations(fields, level))
    return _share(SECTOR / fields, chance, bias)


def _sine(fields: int, level: float, bias: float) -> int:
    return needed_spins(2, level, bias)


def _fit(fields: int, level: float, bias: float) -> int:
    return needed_spins(fields - 1, level, bias)


def _one_face(fields: int, level: float, bias: float) -> int:
    # One face in `fields` has the noncentrality n b^2 (fields - 1) / fields^2, a sine n b^2 / 2.
    return needed_spins(fields - 1, level, bias * math.sqrt(2 * (fields - 1)) / fields)


def _half(fields: int, level: float, bias: float) -> int:
    return math.ceil(((normal_limit(level / 2) + normal_limit(1 - POWER)) / bias) ** 2)


def _turn(fields: int, level: float, bias: float) -> int:
    # A sine that turns to the other side halfway: the CUSUM is sqrt(n / 8) b high there.
    limit = math.sqrt(math.log(4 / level) / 2)
    return math.ceil(8 * ((limit + normal_limit(1 - POWER) / 2) / bias) ** 2)


def _repeat(parts: int) -> Needed:
    return lambda fields, level, bias: _share(1 / fields, level / parts, bias)


def _die(parts: int) -> Needed:
    return lambda fields, level, bias: _field(fields, level / parts, bias)


def _drawn_more(share: float, parts: Callable[[int], int], each: float = 1.0) -> Needed:
    """Return the draws in which what comes in this share of them is found to come more often.

    parts: by balls, how many are tested. each: of the draws that count.
    """
    return lambda balls, level, bias: math.ceil(_share(share, level / parts(balls), bias) / each)


def _ball_fit(balls: int, level: float, bias: float) -> int:
    # One ball has the noncentrality n b^2 s / (1 - s), a sine n b^2 / 2.
    return needed_spins(balls - 1, level, bias * math.sqrt(2 * DRAWN / (1 - DRAWN)))


def _drawn_again(balls: int, level: float, bias: float) -> int:
    drawn = DRAWN * balls
    spread = math.sqrt(drawn * DRAWN * (1 - DRAWN) * (balls - drawn) / (balls - 1))
    deviations = (normal_limit(level / 2) + normal_limit(1 - POWER)) / bias
    return math.ceil((deviations * spread / (drawn * DRAWN)) ** 2)


def _rank(_cards: int, level: float, bias: float) -> int:
    # The cards left in the shoe narrow the spread of those dealt.
    parts = 2 * len(RANKS) * 3
    return math.ceil(_share(1 / len(RANKS), level / parts, bias) * (1 - DEALT))


def _card_fit(cards: int, level: float, bias: float) -> int:
    shift = bias * math.sqrt(2 / (len(RANKS) * (1 - DEALT)))
    return needed_spins(cards - 1, level, shift)


def _gap(cards: int, level: float, bias: float) -> int:
    share = (len(SUITS) * DECKS - 1) / (cards * DECKS - 1)
    return _share(share, level / (2 * LONGEST_GAP), bias)


def _first_half(_cards: int, level: float, bias: float) -> int:
    return _share(1 / 2, level / (2 * len(RANKS)), bias) * len(RANKS)


def _kept(cards: int, level: float, bias: float) -> int:
    # Of all ordered pairs of cards, the share that occurs among the neighbours of a shoe.
    share = -math.expm1(-DEALT * DECKS / cards)
    return _share(share, level, bias)


_WHEEL: dict[Test, tuple[str, Needed]] = {
    Test.MIXTURE: (f"a sector of {SECTOR}", _mixture),
    Test.FULLEST: ("one field", _field),
    Test.SECTOR: (f"a sector of {SECTOR}", _sector(0)),
    Test.NEWEST: (f"a sector of {SECTOR}, since it began", _sector(WINDOWS)),
    Test.LEAN: ("a sine round the wheel", _sine),
    Test.FIT: ("a sine round the wheel", _fit),
    Test.STEPS: ("a sine of the steps", _sine),
    Test.RUNS: ("the same half again", _half),
    Test.DROP: ("a sine round the rim", _sine),
    Test.DRIFT: ("a sine that turns round halfway", _turn),
    Test.CROUPIER: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
    Test.BALL: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
    Test.DIRECTION: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
}
_DICE: dict[Test, tuple[str, Needed]] = {
    Test.FACES: ("one face of all dice", _field),
    Test.DICE_FIT: ("one face of all dice", _one_face),
    Test.EACH_DIE: ("one face of one die, its throws", _die(DICE)),
    Test.PAIRS: ("two dice alike, throws", _repeat(2)),
    Test.IN_A_ROW: ("the face of the throw before", _repeat(1)),
    Test.THROWER: ("one face, of one of 2", _die(2)),
}
_DRAW: dict[Test, tuple[str, Needed]] = {
    Test.BALLS: ("one ball, draws", _drawn_more(DRAWN, lambda balls: 2 * balls)),
    Test.BALLS_FIT: ("one ball, draws", _ball_fit),
    Test.BALL_PAIRS: (
        "two balls together, draws",
        _drawn_more(DRAWN**2, lambda n: math.comb(n, 2)),
    ),
    Test.BALL_PLACES: (
        "a ball in the first half, draws",
        _drawn_more(1 / 2, lambda balls: 2 * balls, DRAWN),
    ),
    Test.BALLS_AGAIN: ("balls of the draw before, draws", _drawn_again),
}
_CARDS: dict[Test, tuple[str, Needed]] = {
    Test.CARD_COUNTS: ("one rank, cards", _rank),
    Test.CARDS_FIT: ("one rank, cards", _card_fit),
    Test.CARD_GAPS: ("a rank again after a gap, cards", _gap),
    Test.CARD_PLACES: ("a rank in first halves, cards", _first_half),
    Test.CARD_ORDER: ("neighbours that were before, cards", _kept),
}
_TESTS = {Kind.WHEEL: _WHEEL, Kind.DICE: _DICE, Kind.DRAW: _DRAW, Kind.CARDS: _CARDS}
_ROWS = _WHEEL | _DICE | _DRAW | _CARDS
