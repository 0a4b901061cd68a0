"""The machines that can be audited: their results, in the order round the wheel."""

from dataclasses import dataclass

from tablelogic.money_wheel import wheel_segments
from tablelogic.roulette import wheels


@dataclass(frozen=True)
class Machine:
    """column: of the file. labels: possible values, clockwise round the wheel; dice: 1 to 6.

    is_round: neighbours in `labels` are neighbours on the machine.
    """

    name: str
    column: str
    labels: tuple[str, ...]
    is_round: bool = True

    @property
    def fields(self) -> int:
        """Return the number of places where the ball can fall, the wheel stop, or a die rest."""
        return len(self.labels)


def _roulette(wheel: int) -> tuple[str, ...]:
    return tuple("00" if n == wheels.DOUBLE_ZERO else str(n) for n in wheels.order(wheel))


# A money wheel is audited by segment, counted clockwise from the index: many pay the same.
MACHINES = {
    machine.name: machine
    for machine in (
        Machine("single", "pocket", _roulette(1)),
        Machine("double", "pocket", _roulette(2)),
        Machine("big52", "segment", tuple(map(str, range(len(wheel_segments.SEGMENTS_52))))),
        Machine("big54", "segment", tuple(map(str, range(len(wheel_segments.SEGMENTS_54))))),
        Machine("dice", "dice", tuple("123456"), is_round=False),
    )
}
