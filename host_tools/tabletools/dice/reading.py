"""One picture through the tray's logic, as a record for JSON."""

from pathlib import Path

from tablelogic.dice.reader import Reader
from tablelogic.dice.reasons import NAMES, READ
from tabletools.dice.pictures import Frame


def read_frame(path: Path, frame: Frame, expected: int) -> dict[str, object]:
    """Return {file, dice, accepted, reason}; dice: faces read, sorted, also when refused.

    expected: how many dice the table has, 0 when not known. reason: "" when accepted.
    """
    reason, values = Reader(frame.width, frame.height).read(frame.grey, expected)
    return {
        "file": str(path),
        "dice": values,
        "accepted": reason == READ,
        "reason": NAMES[reason],
    }
