"""The machines that can be audited: their results, in the order round the wheel."""

from dataclasses import dataclass

from tabletools.roles import every_role


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


MACHINES = {
    name: Machine(name, audited.column, labels, audited.is_round)
    for audited in (role.audited for role in every_role())
    if audited is not None
    for name, labels in audited.labels.items()
}
