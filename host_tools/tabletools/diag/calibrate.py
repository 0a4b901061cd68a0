"""New values of the configuration from observations; no port, no table.

Offsets are places round a wheel: the difference of the reported and the true place.
"""

import statistics
from collections.abc import Mapping, Sequence

from tabletools.diag.ball_gate import Passage
from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError
from tablewire import config, draw_machine, money_wheel

OFF = 1004
FRICTION_SLACK = 5  # a fifth: two free runs of one wheel differ by less
_LEAST_SWING = 200  # of 4095: less is noise, and not a flapper on a pin
_TREMBLE = 128
_LEAST_BALLS = 10
_MOST_SPREAD = 100 / 3 / 5
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


def friction(measured: int) -> dict[int, int]:
    """Return the measured deceleration of a free run, 0.1 degrees/s2."""
    low, high = config.LIMITS[3 * money_wheel.FRICTION_DDEGSS - 3 :][:2]
    if not low <= measured <= high:
        raise ToolError(
            f"the run slowed by {measured}", limit=f"{low}..{high} of 0.1 degrees/s2",
            cause="it was stopped by hand, or pushed again", step="spin again",
        )  # fmt: skip
    return {money_wheel.FRICTION_DDEGSS: measured}


def ball(found: Sequence[Passage]) -> dict[int, int]:
    """Return time and length of a ball in the exit gate, by the balls that left it.

    A table takes one that is longer by a third for two; those that touch are twice as long. So
    five deviations have to be less than a third.
    """
    if len(found) < _LEAST_BALLS:
        raise ToolError(
            f"{len(found)} balls are in the traces of the last rounds",
            limit=f"at least {_LEAST_BALLS}", step=_more_balls(found),
        )  # fmt: skip
    ratio, spread = _length(found)
    if spread > _MOST_SPREAD:
        longest = max(each.percent for each in found)
        raise ToolError(
            f"the length of a ball spreads by {spread:.1f} %: {ratio:.0f} % of the distance of the"
            f" beams, the longest {longest:.0f} %",
            limit=f"a spread of {_MOST_SPREAD:.1f} %: two that touch are twice as long",
            cause="balls touched, or the beams miss the middle of the ball (WIRING.md, 16)",
            step="draw ten balls again, one by one, each at rest before the next leaves",
        )  # fmt: skip
    return {
        draw_machine.BALL_MS: round(_time_ms(found)),
        draw_machine.BALL_RATIO: round(ratio),
    }


def ball_checks(found: Sequence[Passage]) -> list[Check]:
    """Return the checks after a calibration of the gate: times and lengths, from what to what."""
    times = [each.inner_us / 1000 for each in found]
    ratio, spread = _length(found)
    longest, most = round(max(each.percent for each in found)), round(ratio * 4 / 3)
    fits = longest <= most
    note = f"{len(found)} balls, {min(times):.0f} to {max(times):.0f} ms"
    return [
        Check("calibration: ball_ms", PASS, round(_time_ms(found)), "ms", note=note),
        Check("calibration: longest ball", PASS if fits else FAIL, longest, "%", None, most,
              None if fits else OFF, f"spread {spread:.1f} %; two that touch: {2 * ratio:.0f} %"),
    ]  # fmt: skip


def _length(found: Sequence[Passage]) -> tuple[float, float]:
    """Over the distance of the beams, and its spread, both in percent."""
    ratio = statistics.median(each.percent for each in found)
    return ratio, 100 * statistics.stdev(each.percent for each in found) / ratio


def _more_balls(found: Sequence[Passage]) -> str:
    step = "draw more balls, one by one, then try again"
    if not found:
        return step
    return f"`tabletool config set PORT ball_ms={_time_ms(found):.0f}`, {step}"


def _time_ms(found: Sequence[Passage]) -> float:
    return statistics.median(each.inner_us for each in found) / 1000


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
