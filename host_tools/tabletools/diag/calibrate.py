"""New values of the configuration from observations; no port, no table.

Offsets are places round a wheel: the difference of the reported and the true place.
"""

from collections.abc import Mapping

from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError

OFF = 1004


def offset(old: int, reported: int, true: int, places: int) -> int:
    """Return the offset with which the report would have been right.

    All are places of the wheel.
    """
    for name, value in (("reported", reported), ("true", true)):
        if not 0 <= value < places:
            raise ToolError(
                f"{name} is place {value}",
                where=f"--{name}",
                limit=f"0..{places - 1}",
                step="count the places of the wheel from its index on",
            )
    return (old + true - reported) % places


def head_angle(old_mdeg: int, aside_mdeg: int) -> int:
    """Return the angle of a reader head, clockwise from the index, that is off by this much."""
    return (old_mdeg + aside_mdeg) % 360_000


def checked(name: str, reported: int, true: int, slack: int = 0) -> Check:
    """Return the check after a calibration: the new report compared with the true place."""
    fits = abs(reported - true) <= slack
    limits = (true - slack, true + slack)
    return Check(
        f"calibration: {name}",
        PASS if fits else FAIL,
        reported,
        "",
        *limits,
        None if fits else OFF,
    )


def changes(old: Mapping[int, int], new: Mapping[int, int]) -> dict[int, int]:
    """Return the new values that are not in force already."""
    return {key: value for key, value in new.items() if old[key] != value}
