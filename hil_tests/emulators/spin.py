"""What happened in one spin, physically and by the word of the table."""

from __future__ import annotations

from dataclasses import dataclass

from hil_tests.emulators.played import Played


@dataclass(frozen=True, slots=True)
class Spin(Played):
    """What physically happened in one spin, and what the table said of it."""

    pocket: str | None
    circuits: float
    ball_direction: int
    rotor_direction: int

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table said."""
        return {
            "pocket": self.pocket,
            "circuits": round(self.circuits, 1),
            "ball_direction": self.ball_direction,
            "rotor_direction": self.rotor_direction,
            "fault": self.fault,
        }

    @property
    def told(self) -> str | None:
        """Return the number the table said, as it is printed; None for a void."""
        if self.reason is not None:
            return None
        number: int = self.ended.values[0]
        return "00" if number == 37 else str(number)

    @property
    def true(self) -> str | None:
        """Return the number in which the ball lies."""
        return self.pocket
