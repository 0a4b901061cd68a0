"""The machines that can be audited: their results, in the order round the wheel."""

from dataclasses import dataclass
from enum import Enum

from tablelogic.money_wheel import wheel_segments
from tablelogic.roulette import wheels

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = len(RANKS) * len(SUITS)


class Kind(Enum):
    """What a row of results is: one field, a throw, the balls of a draw, or cards dealt."""

    WHEEL = "wheel"
    DICE = "dice"
    DRAW = "draw"
    CARDS = "cards"


@dataclass(frozen=True)
class Machine:
    """column: of the file. labels: possible values: clockwise round a wheel; the faces of a die,
    the balls, or the cards of a deck, suit by suit.
    """

    name: str
    column: str
    labels: tuple[str, ...]
    kind: Kind = Kind.WHEEL

    @property
    def is_round(self) -> bool:
        """Return whether neighbours in `labels` are neighbours on the machine."""
        return self.kind is Kind.WHEEL

    @property
    def fields(self) -> int:
        """Return the number of places where the ball can fall, the wheel stop, or a die rest."""
        return len(self.labels)


def _roulette(wheel: int) -> tuple[str, ...]:
    return tuple("00" if n == wheels.DOUBLE_ZERO else str(n) for n in wheels.order(wheel))


def _balls(name: str, balls: int) -> Machine:
    return Machine(name, "balls", tuple(map(str, range(1, balls + 1))), Kind.DRAW)


BALLS = {"keno": 80, "bingo75": 75, "bingo80": 80, "bingo90": 90}
# A money wheel is audited by segment, counted clockwise from the index: many pay the same.
MACHINES = {
    machine.name: machine
    for machine in (
        Machine("single", "pocket", _roulette(1)),
        Machine("double", "pocket", _roulette(2)),
        Machine("big52", "segment", tuple(map(str, range(len(wheel_segments.SEGMENTS_52))))),
        Machine("big54", "segment", tuple(map(str, range(len(wheel_segments.SEGMENTS_54))))),
        Machine("dice", "dice", tuple("123456"), Kind.DICE),
        *(_balls(*each) for each in BALLS.items()),
        Machine("cards", "cards", tuple(r + s for s in SUITS for r in RANKS), Kind.CARDS),
    )
}
