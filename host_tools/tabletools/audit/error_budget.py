"""The error budget: one false alarm a table-year, spent evenly over looks and by share over tests.

Alpha is spent linearly: each of A audits a year spends 1 / A of one false alarm, whatever the
audits have in common, and A looks spend it all; look A + 1 belongs to the next table-year. Within
an audit each test has its share (weighted Bonferroni), and what the file or machine does not allow
leaves its share to the others. Source: Lan and DeMets, Biometrika 70 (1983) 659.
"""

from collections.abc import Iterable
from enum import Enum

from tabletools.errors import ToolError

AUDITS_PER_YEAR = 365
"""One at the end of each gaming day."""


class Test(Enum):
    """A test, named as in reports. share: of the budget, in relation to the others made."""

    __test__ = False  # for pytest

    share: int
    advice: str

    def __new__(cls, label: str, share: int, advice: str) -> "Test":
        """Give each test its name, share and advice."""
        member = object.__new__(cls)
        member._value_ = label
        member.share, member.advice = share, advice
        return member

    MIXTURE = (
        "mixture of biases",
        190,
        "compare the table of fields with the wheel",
    )
    FULLEST = (
        "fullest field",
        1,
        "check this field: pocket depth, loose fret, foreign body; a money wheel: its pins",
    )
    SECTOR = (
        "sector scan",
        1,
        "check the fields of this sector: frets, pads, wear, balance",
    )
    NEWEST = (
        "scan of the newest results",
        1,
        "find out what changed when this window began: service, rotor, ball, croupier",
    )
    LEAN = (
        "Rayleigh on the wheel",
        1,
        "check the level of the wheel and balance of the rotor",
    )
    FIT = ("chi-square of fit", 1, "compare the table of fields: look for several uneven fields")
    STEPS = ("steps from spin to spin", 2, "watch croupiers: each spin follows from the last")
    RUNS = ("runs of one half", 2, "watch croupiers: halves of the wheel repeat or alternate")
    DROP = ("Rayleigh on the drop", 6, "level the wheel: the ball leaves the rim at one side")
    DRIFT = ("drift of the drop", 6, "level the wheel: where the ball leaves the rim has changed")
    CROUPIER = ("by croupier", 6, "watch this croupier; compare with another at the same wheel")
    BALL = ("by ball", 6, "measure and weigh this ball, and replace it")
    DIRECTION = ("by direction", 6, "check the wheel with spins in this direction")
    FACES = ("fullest face", 34, "measure the edges of these dice, weigh and balance them")
    DICE_FIT = ("chi-square of faces", 12, "measure and balance each of these dice")
    EACH_DIE = (
        "each die by itself",
        30,
        "measure and balance this die",
    )
    PAIRS = ("pairs of a throw", 10, "look for magnets or linked dice, and for dice set by hand")
    IN_A_ROW = ("throws in a row", 10, "watch how dice are picked up and thrown: faces repeat")
    THROWER = ("by thrower", 10, "watch this thrower: the throw has to reach the wall and roll")
    BALLS = ("each ball", 34, "weigh and measure this ball, and replace the set")
    BALLS_FIT = ("chi-square of balls", 12, "weigh and measure the balls of this set")
    BALL_PAIRS = ("pairs of balls", 14, "look for balls that stick together: static, damage, dirt")
    BALL_PLACES = ("place of a ball in the draw", 14, "weigh this ball: it leaves early or late")
    BALLS_AGAIN = ("balls of the draw before", 14, "let the blower mix longer before each draw")
    CARD_COUNTS = ("counts of cards", 40, "count the decks: a card is missing or foreign")
    CARDS_FIT = ("chi-square of cards", 10, "count and check the decks of this table")
    CARD_GAPS = ("gaps between equal ranks", 20, "check the shuffle: cards stay in clumps")
    CARD_PLACES = ("place of ranks in the shoe", 14, "check shuffle and cut: a rank is ahead")
    CARD_ORDER = ("neighbours of the shoe before", 20, "check the shuffle: an order survives it")


def levels(tests: Iterable[Test], level: float) -> dict[Test, float]:
    """Return the level of each test of an audit that may spend `level`."""
    made = list(tests)
    whole = sum(test.share for test in made)
    return {test: level * test.share / whole for test in made}


def look_level(audits_per_year: int, look: int | None = None) -> float:
    """Return what one audit may spend. look: its number in the table-year, 1 on.

    Raises ToolError after the last, as nothing is left to spend.
    """
    if look is not None and not 1 <= look <= audits_per_year:
        raise ToolError(
            f"look {look} is outside the table-year",
            where="--look",
            limit=f"1 to {audits_per_year}",
            cause="the budget of false alarms is spent",
            step="count looks from 1 in the next table-year, or plan more with --audits-per-year",
        )
    return 1 / audits_per_year
