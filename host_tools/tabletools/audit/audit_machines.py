"""The machines that can be audited: their results, in the order round the wheel."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tabletools.roles import every_role

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


def _of_roles() -> Iterator[Machine]:
    for audited in (role.audited for role in every_role()):
        if audited is not None:
            kind = Kind.WHEEL if audited.is_round else Kind.DICE
            for name, labels in audited.labels.items():
                yield Machine(name, audited.column, labels, kind)


def _balls(name: str, balls: int) -> Machine:
    return Machine(name, "balls", tuple(map(str, range(1, balls + 1))), Kind.DRAW)


BALLS = {"keno": 80, "bingo75": 75, "bingo80": 80, "bingo90": 90}
MACHINES = {
    machine.name: machine
    for machine in (
        *_of_roles(),
        *(_balls(*each) for each in BALLS.items()),
        Machine("cards", "cards", tuple(r + s for s in SUITS for r in RANKS), Kind.CARDS),
    )
}
