"""What happened in one spin, physically and by the word of the table."""

from __future__ import annotations

from dataclasses import dataclass

from tablewire import messages
from tablewire.codec import Frame


@dataclass(frozen=True, slots=True)
class Spin:
    """What physically happened in one spin, and what the table said of it.

    ended: the frame of the result or void. faults: codes of the faults raised meanwhile.
    """

    pocket: str | None
    circuits: float
    ball_direction: int
    rotor_direction: int
    fault: str | None
    ended: Frame
    faults: tuple[int, ...]

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
    def reason(self) -> int | None:
        """Return the code of the void, None if the table gave a number."""
        if self.ended.type == messages.WHEEL_RESULT:
            return None
        reason: int = self.ended.values[0]
        return reason

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
