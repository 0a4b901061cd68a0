"""New values of the configuration from observations; no port, no table.

Offsets are places round a wheel: the difference of the reported and the true place.
"""

from collections.abc import Mapping

from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError
from tablewire import money_wheel

OFF = 1004
_LEAST_SWING = 200  # of 4095: less is noise, and not a flapper on a pin
_TREMBLE = 128
_EDGE_LOW, _EDGE_HIGH = 100, 3995  # as the range of both keys


def offset(old: int, reported: int, true: int, places: int) -> int:
    """Return the offset with which the report would have been right.

    All are places of the wheel.
    """
    for name, value in (("reported", reported), ("true", true)):
        if not 0 <= value < places:
            raise ToolError(
                f"{name} is place {value}", where=f"--{name}", limit=f"0..{places - 1}",
                step="count the places of the wheel from its index on",
            )  # fmt: skip
    return (old + true - reported) % places


def still(lowest: int, highest: int) -> int:
    """Return the reading of a flapper that rests between two pins.

    Raises ToolError when it moved.
    """
    if highest - lowest > _TREMBLE:
        raise ToolError(
            f"the flapper moved by {highest - lowest}", limit=f"at most {_TREMBLE} of 4095",
            cause="the wheel turns", step="let it rest with the flapper between two pins",
        )  # fmt: skip
    return lowest


def flapper(at_rest: int, lowest: int, highest: int) -> dict[int, int]:
    """Return rest and top of a flapper: the reading between two pins, and the farthest one."""
    top = highest if highest - at_rest >= at_rest - lowest else lowest
    if abs(top - at_rest) < _LEAST_SWING:
        raise ToolError(
            f"the flapper swung by {abs(top - at_rest)}", limit=f"at least {_LEAST_SWING} of 4095",
            cause="the wheel was not turned, or the sensor is too far away",
            step="turn it slowly over three pins, then try again",
        )  # fmt: skip
    for value in (at_rest, top):
        if not _EDGE_LOW <= value <= _EDGE_HIGH:
            raise ToolError(
                f"the flapper reads {value}", limit=f"{_EDGE_LOW}..{_EDGE_HIGH}",
                cause="its wire is cut or shorted, or the sensor is too near",
                step="repair it first: 612 flapper_lost",
            )  # fmt: skip
    return {money_wheel.FLAPPER_REST_RAW: at_rest, money_wheel.FLAPPER_TOP_RAW: top}


def head_angle(old_mdeg: int, aside_mdeg: int) -> int:
    """Return the angle of a reader head, clockwise from the index, that is off by this much."""
    return (old_mdeg + aside_mdeg) % 360_000


def checked(name: str, reported: int, true: int, slack: int = 0) -> Check:
    """Return the check after a calibration: the new report compared with the true place."""
    fits = abs(reported - true) <= slack
    limits = (true - slack, true + slack)
    return Check(f"calibration: {name}", PASS if fits else FAIL, reported, "", *limits,
                 None if fits else OFF)  # fmt: skip


def changes(old: Mapping[int, int], new: Mapping[int, int]) -> dict[int, int]:
    """Return the new values that are not in force already."""
    return {key: value for key, value in new.items() if old[key] != value}
