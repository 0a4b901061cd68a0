"""Balls in the exit gate of a draw machine, by the edges of its two beams; no port, no table."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from tablewire.draw_machine import INPUT_EXIT_INNER, INPUT_EXIT_OUTER

_CLOCK = (1 << 30) - 1
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
    inner, outer = (_covered(beam) for beam in beams.values())
    for rose_us, fell_us in outer:
        for first_us, last_us in inner:
            if first_us < rose_us < last_us < fell_us:
                inside_us = last_us - first_us + fell_us - rose_us
                between_us = rose_us - first_us + fell_us - last_us
                yield Passage(last_us - first_us, 100 * inside_us / between_us)


def _covered(changes: list[tuple[int, int]]) -> list[tuple[int, int]]:
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
