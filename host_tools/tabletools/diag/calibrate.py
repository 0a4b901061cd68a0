"""New values of the configuration from observations; no port, no table.

Offsets are places round a wheel: the difference of the reported and the true place.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tabletools.diag.ball_gate import Passage
from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError
from tabletools.key_range import range_of
from tablewire import card_shoe, draw_machine, money_wheel, shuffler

OFF = 1004
_LEAST_SWING = 200  # of 4095: less is noise, and not a flapper on a pin
_TREMBLE = 128
_LEAST_BALLS = 10
_MOST_SPREAD = 100 / 3 / 5
CARD_SIGMAS = 5  # as tablelogic.shuffler.gate: one card is within so many of its spread
# Permille; wider, and two cards that overlap by 70 % are within one card.
CARD_SPREAD_MOST = 60
CARDS_LEAST = 20
_RATIO_SPREAD_MOST = 70  # permille: cards pulled evenly
_SHEET_STEP_LEAST = 200  # of 4095, from the thickest card to the thinnest two


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
    keys = {money_wheel.FLAPPER_REST_RAW: at_rest, money_wheel.FLAPPER_TOP_RAW: top}
    for key, value in keys.items():
        if value not in range_of(key):
            raise ToolError(
                f"the flapper reads {value}", limit=str(range_of(key)),
                cause="its wire is cut or shorted, or the sensor is too near",
                step="repair it first: 612 flapper_lost",
            )  # fmt: skip
    return keys


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


@dataclass(frozen=True)
class Passed:
    """What a table measured of the cards at one gate. spread, farthest: permille of the median."""

    count: int
    median_us: int
    spread: int
    farthest: int


def card_times(gates: Sequence[Passed]) -> dict[int, int]:
    """Return time and spread of a card, of a whole deck at both gates of a shuffler.

    The wider spread counts, and a tenth more: it is that of some hundred cards. Raises ToolError
    when it leaves no room between one card and two, or a card.
    """
    if len(gates) < 2 or min(gate.count for gate in gates) < CARDS_LEAST:
        raise ToolError(
            f"{min((gate.count for gate in gates), default=0)} cards passed a gate",
            limit=f"at least {CARDS_LEAST} at both", step="shuffle a whole deck while it watches",
        )  # fmt: skip
    spread = max(gate.spread for gate in gates)
    spread = max(spread + -(-spread // 10), 5)
    if spread > CARD_SPREAD_MOST:
        hides = 1000 - CARD_SIGMAS * spread
        raise ToolError(
            f"cards spread by {spread / 10} %: two that overlap by {max(hides, 0) // 10} % or more"
            f" and a card of which {max(hides, 0) // 10} % are left pass for one",
            limit=f"{CARD_SPREAD_MOST / 10} %", cause="worn or dirty rollers, or worn cards",
            step="clean or change the rollers, then measure again",
        )  # fmt: skip
    farthest = max(gate.farthest for gate in gates)
    if farthest > CARD_SIGMAS * spread:
        raise ToolError(
            f"a card took {farthest / 10} % more or less than the others",
            limit=f"{CARD_SIGMAS * spread / 10} %", cause="two at once, a torn card, or a slip",
            step="count the deck, look at its cards, then measure again",
        )  # fmt: skip
    median_us = sum(gate.median_us for gate in gates) // len(gates)
    return {shuffler.CARD_MS: (median_us + 500) // 1000, shuffler.CARD_SPREAD: spread}


@dataclass(frozen=True)
class Pulled:
    """What a shoe measured of pulls. spread: of their ratio, permille; thin, thick: the range of
    what the sheet sensor read of them.
    """

    ratio: int
    spread: int
    thin: int
    thick: int


def pulls(single: Pulled, double: Pulled) -> dict[int, int]:
    """Return length and thickness of one card, and the limit half way to two.

    Raises ToolError when pulls were uneven, or one card and two look alike.
    """
    if single.spread > _RATIO_SPREAD_MOST:
        raise ToolError(
            f"the lengths of the cards spread by {single.spread / 10} %",
            limit=f"{_RATIO_SPREAD_MOST / 10} %", cause="pauses, or gates of two kinds",
            step="pull each in one go",
        )  # fmt: skip
    if double.thin - single.thick < _SHEET_STEP_LEAST:
        raise ToolError(
            f"one card reads up to {single.thick}, two from {double.thin}",
            limit=f"{_SHEET_STEP_LEAST} between them", cause="the sheet sensor is not adjusted",
            step="adjust it by its manual, then measure again",
        )  # fmt: skip
    return {
        card_shoe.CARD_RATIO: single.ratio,
        card_shoe.SHEET_LIMIT_RAW: (single.thick + double.thin) // 2,
        card_shoe.SHEET_CARD_RAW: (single.thin + single.thick) // 2,
    }


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
