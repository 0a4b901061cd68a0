"""Balls in the exit gate of a draw machine: their times and lengths, by the edges of two beams."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tabletools.diag.calibrate import OFF
from tabletools.diag.check import FAIL, PASS, Check
from tabletools.errors import ToolError
from tablewire.draw_machine import BALL_MS, BALL_RATIO, INPUT_EXIT_INNER, INPUT_EXIT_OUTER

_CLOCK = (1 << 30) - 1
_LEAST_BALLS = 10
_MOST_SPREAD = 100 / 3 / 5
_FLICKER_US = 2000  # a shorter change of a beam counts on no machine


class Passage(NamedTuple):
    """One ball on its way out. inner_us: in the inner beam.

    percent: its length over the distance of the beams, by leading and trailing edge.
    """

    inner_us: int
    percent: float


def passages(edges: Iterable[tuple[int, int, int]]) -> Iterator[Passage]:
    """Yield every passage. edges: (time in us of the 30-bit clock, sensor, level), in order.

    They cover less than 17 minutes.
    """
    every = list(edges)
    begin_us = every[0][0] if every else 0
    beams: dict[int, list[tuple[int, int]]] = {INPUT_EXIT_INNER: [], INPUT_EXIT_OUTER: []}
    for t_us, sensor, level in every:
        if sensor in beams:
            beams[sensor].append(((t_us - begin_us) & _CLOCK, level))
    inner, outer = (_spans(beam) for beam in beams.values())
    for rose_us, fell_us in outer:
        for first_us, last_us in inner:
            if first_us < rose_us < last_us < fell_us:
                inside_us = last_us - first_us + fell_us - rose_us
                between_us = rose_us - first_us + fell_us - last_us
                yield Passage(last_us - first_us, 100 * inside_us / between_us)


def _spans(changes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return from when to when a beam was covered, by the changes of it that lasted."""
    spans, rose_us = [], None
    for (t_us, level), (next_us, _) in pairwise([*changes, (1 << 31, 0)]):
        if next_us - t_us < _FLICKER_US:
            continue
        if level and rose_us is None:
            rose_us = t_us
        elif not level and rose_us is not None:
            spans.append((rose_us, t_us))
            rose_us = None
    return spans


def ball(balls: Sequence[Passage]) -> dict[int, int]:
    """Return time and length of a ball in the exit gate, by the balls that left it.

    A table takes one that is longer by a third for two; those that touch are twice as long. So
    five deviations have to be less than a third.
    """
    if len(balls) < _LEAST_BALLS:
        raise ToolError(
            f"{len(balls)} balls are in the traces of the last rounds",
            limit=f"at least {_LEAST_BALLS}",
            step=_more_balls(balls),
        )
    ratio, spread = _length(balls)
    if spread > _MOST_SPREAD:
        longest = max(each.percent for each in balls)
        raise ToolError(
            f"the length of a ball spreads by {spread:.1f} %: {ratio:.0f} % of the distance of the"
            f" beams, the longest {longest:.0f} %",
            limit=f"a spread of {_MOST_SPREAD:.1f} %: two that touch are twice as long",
            cause="balls touched, or the beams miss the middle of the ball (WIRING.md, 16)",
            step="draw ten balls again, one by one, each at rest before the next leaves",
        )
    return {
        BALL_MS: round(_time_ms(balls)),
        BALL_RATIO: round(ratio),
    }


def ball_checks(balls: Sequence[Passage]) -> list[Check]:
    """Return the checks after a calibration of the gate: times and lengths, from what to what."""
    times = [each.inner_us / 1000 for each in balls]
    ratio, spread = _length(balls)
    longest, most = round(max(each.percent for each in balls)), round(ratio * 4 / 3)
    fits = longest <= most
    note = f"{len(balls)} balls, {min(times):.0f} to {max(times):.0f} ms"
    return [
        Check("calibration: ball_ms", PASS, round(_time_ms(balls)), "ms", note=note),
        Check(
            "calibration: longest ball",
            PASS if fits else FAIL,
            longest,
            "%",
            None,
            most,
            None if fits else OFF,
            f"spread {spread:.1f} %; two that touch: {2 * ratio:.0f} %",
        ),
    ]


def _length(balls: Sequence[Passage]) -> tuple[float, float]:
    """Over the distance of the beams, and its spread, both in percent."""
    ratio = statistics.median(each.percent for each in balls)
    return ratio, 100 * statistics.stdev(each.percent for each in balls) / ratio


def _more_balls(balls: Sequence[Passage]) -> str:
    step = "draw more balls, one by one, then try again"
    if not balls:
        return step
    return f"`tabletool config set PORT ball_ms={_time_ms(balls):.0f}`, {step}"


def _time_ms(balls: Sequence[Passage]) -> float:
    return statistics.median(each.inner_us for each in balls) / 1000
