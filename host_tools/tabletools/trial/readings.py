"""The numbers of the other reader, one a line, and which round each is of.

17                          the number, in the order of the spins
-                           a spin without a number: no spin, or a ball that left the wheel
2026-11-29T20:15:02+01:00,17   the same with the time at which it was read
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tabletools.errors import ToolError

NONE = "-"
_NUMBERS = frozenset([*map(str, range(37)), "00", NONE])
_NEAR_S = 60.0


@dataclass(frozen=True)
class Reading:
    """What the other reader read. number: "0" to "36", "00" or NONE. read_s: epoch, if known."""

    number: str
    read_s: float | None = None


def reading_of(line: str) -> Reading:
    """Return the reading of a line. Raises ValueError with what is wrong and the limit."""
    time_text, comma, number = line.strip().replace(";", ",").rpartition(",")
    number = number.strip()
    if number not in _NUMBERS:
        raise ValueError(f"{number!r} is not 0 to 36, 00 or {NONE}")
    if not comma:
        return Reading(number)
    try:
        read = datetime.fromisoformat(time_text.strip())
    except ValueError:
        raise ValueError(
            f"{time_text!r} is not a time such as 2026-11-29T20:15:02+01:00"
        ) from None
    if read.tzinfo is None:
        raise ValueError(f"{time_text!r} has no time zone: add Z or +01:00")
    return Reading(number, read.timestamp())


def readings_of(text: str, where: str) -> list[Reading]:
    """Return the readings of a file; empty lines and # are comments. Raises ToolError."""
    readings = []
    # A spreadsheet begins its files with a mark of the order of bytes.
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            readings.append(reading_of(line))
        except ValueError as error:
            raise ToolError(
                f"line {number}: {error}",
                where=where,
                step="correct the line; nothing was changed",
            ) from None
    if len({reading.read_s is None for reading in readings}) > 1:
        raise ToolError(
            "some lines have a time and some have none",
            where=where,
            step="give every line its time, or none",
        )
    return readings


def paired(
    readings: Sequence[Reading], ended_s: Sequence[float]
) -> tuple[list[Reading | None], list[Reading]]:
    """Return the reading of each round, and the readings that are of none.

    By time the nearest round within a minute, each round once; without times by order.
    ended_s: when each round ended, epoch.
    """
    if not readings or readings[0].read_s is None:
        count = len(ended_s)
        by_order: list[Reading | None] = list(readings[:count])
        return by_order + [None] * (count - len(by_order)), list(readings[count:])
    pairs: list[Reading | None] = [None] * len(ended_s)
    near = sorted(
        (abs(ended - (reading.read_s or 0.0)), place, number)
        for number, reading in enumerate(readings)
        for place, ended in enumerate(ended_s)
        if abs(ended - (reading.read_s or 0.0)) <= _NEAR_S
    )
    used: set[int] = set()
    for _, place, number in near:
        if pairs[place] is None and number not in used:
            pairs[place] = readings[number]
            used.add(number)
    return pairs, [each for number, each in enumerate(readings) if number not in used]
