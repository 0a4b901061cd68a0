"""What an outcome does to one stake, as exact shares of that stake.

A verdict knows no amount: one record serves every stake, so payouts are written down only in the
table of verdicts, for a single bet and for a million alike.
"""

from fractions import Fraction
from math import lcm

import msgspec

from tabletools.rules.citation import over, paying, read

WIN = "win"
LOSE = "lose"
PUSH = "push"
HALF = "half"
PRISON = "prison"
STAND = "stand"
VOID = "void"
OUTCOMES: tuple[str, ...] = (WIN, LOSE, PUSH, HALF, PRISON, STAND, VOID)
"""win: paid by the odds.

lose: to the bank. push: stake returned, nothing won. half: part returned, part lost, bet ended.
prison: held for the next spin. stand: undecided, unchanged. void: cancelled, stake returned.
"""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """Shares of the stake in units of stake/den; back + live + lost == den.

    Reading its fields takes half as long as those of a named tuple.

    win: winnings on top of the stake. back: stake returned. live: stake staying in play, to be
    passed in again with `state`. lost: stake to the bank. citation: the paragraphs that decide and
    what they pay (`rules.citation`).
    den is the smallest that makes all shares whole, so a stake splits into whole cents exactly
    if den divides it.
    """

    outcome: str
    den: int
    win: int
    back: int
    live: int
    lost: int
    state: str | None
    citation: str

    @property
    def rule(self) -> str:
        """The paragraph that decides, with its edition."""
        return read(self.citation).paragraphs[0]


def verdict(
    outcome: str,
    rule: str,
    *,
    win: Fraction | int = 0,
    back: Fraction | int = 0,
    live: Fraction | int = 0,
    state: str | None = None,
) -> Verdict:
    """Build a verdict from shares of the stake; what is neither back nor live is lost.

    rule: a paragraph with its edition, or a citation of several.
    Raises ValueError if the shares do not add up to one stake: that is a wrong rule table.
    """
    lost = 1 - Fraction(back) - Fraction(live)
    shares = [Fraction(win), Fraction(back), Fraction(live), lost]
    if outcome not in OUTCOMES or min(shares) < 0:
        raise ValueError(f"no division of a stake: {outcome} {shares}")
    den = lcm(*(share.denominator for share in shares))
    won, returned, standing, gone = (int(share * den) for share in shares)
    return Verdict(outcome, den, won, returned, standing, gone, state, rule)


def win(odds: tuple[int, int], rule: str, *, printed: str | None = None) -> Verdict:
    """The bet wins: the stake is returned with winnings by the odds. printed: as they are."""
    return verdict(WIN, paying(rule, printed or odds), win=Fraction(*odds), back=1)


def with_bonus(base: Verdict, times: int, rule: str) -> Verdict:
    """Return a verdict with a bonus of `times` the stake, paid whether the bet wins or not."""
    won, back = (Fraction(part, base.den) for part in (base.win, base.back))
    outcome = WIN if base.outcome == PUSH else base.outcome
    cited = over(paying(rule, (times, 1)), base.citation)
    return verdict(outcome, cited, win=won + times, back=back)


def lose(rule: str) -> Verdict:
    """The bank wins the whole stake."""
    return verdict(LOSE, rule)


def paid(times: int | None, rule: str) -> Verdict:
    """The bet wins `times` its stake; with None it is lost."""
    return win((times, 1), rule) if times else lose(rule)


def push(rule: str) -> Verdict:
    """The stake is returned, nothing is won."""
    return verdict(PUSH, rule, back=1)


def half(rule: str) -> Verdict:
    """Half the stake is lost, half is returned, the bet has ended."""
    return verdict(HALF, rule, back=Fraction(1, 2))


def stand(rule: str, *, state: str | None = None) -> Verdict:
    """Nothing is decided; the stake stays in play, in the given state."""
    return verdict(STAND, rule, live=1, state=state)


def void(rule: str) -> Verdict:
    """The bet is cancelled: the stake is returned."""
    return verdict(VOID, rule, back=1)
