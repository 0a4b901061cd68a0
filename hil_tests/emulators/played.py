"""What became of one round, by the word of the table; each kind of table adds what happened."""

from __future__ import annotations

from dataclasses import dataclass

from tablewire import messages
from tablewire.codec import Frame


@dataclass(frozen=True, slots=True)
class Played:
    """fault: what was provoked in it. ended: the frame of the result or void.

    faults: codes of the faults raised meanwhile.
    """

    fault: str | None
    ended: Frame
    faults: tuple[int, ...]

    @property
    def reason(self) -> int | None:
        """Return the code of the void, None if the table gave a result."""
        if self.ended.type != messages.ROUND_VOID:
            return None
        reason: int = self.ended.values[0]
        return reason
