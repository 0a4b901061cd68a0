"""The laps of one spin: from the edges in a trace to the passes of the ball by each rim sensor.

Shares no code with the device's logic: it looks at a whole spin, backwards too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tabletools.replay import Edge, Trace
from tablewire import roulette
from tablewire.roulette import INPUT_RIM_1, INPUT_RIM_2, INPUT_RIM_3, INPUT_RIM_4

_RIMS = (INPUT_RIM_1, INPUT_RIM_2, INPUT_RIM_3, INPUT_RIM_4)
_CLOCK = 1 << 30
# HARDWARE.md: a gap of less than 3 ms is a bounce, a pulse of less than 2 ms electrical; the
# slowest ball covers a sensor for 50 ms, a hand for longer.
_GAP_S, _SHORTEST_S, _LONGEST_S = 0.003, 0.002, 0.080
_FASTEST_LAP_S, _SLOWEST_LAP_S = 0.25, 3.2
# From one step to the next: tilt, and sensors half a degree off their place.
_LAP_LESS, _LAP_MORE = 0.75, 1.6
_BACK = 6  # passes that a chain may leave out: a hand's, or interference
_ROLLS_AFTER = 5  # turns: as long as a ball may skid
_GONE_LAPS = 1.5  # without a pass, and the ball has left the rim


class Pass(NamedTuple):
    """The ball before a rim sensor, 0 the first. s: the middle, since the trace began."""

    rim: int
    s: float
    width_s: float


class Growth(NamedTuple):
    """Two laps in a row at one rim sensor: its passes 0, 1 and 2, by their place in the spin."""

    passes: tuple[int, int, int]
    times_s: tuple[float, float, float]


@dataclass(frozen=True)
class Spin:
    """One run of the ball. turns: before each pass, since the first.

    drop_lap_s: the last lap, None where the trace does not show that the ball left after it.
    """

    passes: tuple[Pass, ...]
    turns: tuple[float, ...]
    drop_lap_s: float | None

    @property
    def laps(self) -> float:
        """Return the turns from the first pass to the last."""
        return self.turns[-1] if self.turns else 0.0

    def growths(self, after_turns: float = _ROLLS_AFTER) -> list[Growth]:
        """Return each pair of whole laps that ends so many turns after the first pass."""
        last: dict[int, list[int]] = {}
        growths = []
        for place, each in enumerate(self.passes):
            row = last.setdefault(each.rim, [])
            if row and abs(self.turns[place] - self.turns[row[-1]] - 1) > 0.01:
                row.clear()  # a pass between was missed
            row.append(place)
            if len(row) > 2 and self.turns[place] > after_turns:
                first, middle, end = row[-3:]
                times = tuple(self.passes[k].s for k in (first, middle, end))
                growths.append(Growth((first, middle, end), times))  # type: ignore[arg-type]
        return growths


def spin_of(trace: Trace) -> Spin:
    """Return the run of the ball in a trace, empty if there is none."""
    count = trace.config[roulette.RIM_SENSORS]
    angles = [0.0]
    angles += [trace.config[key] / 360_000 for key in roulette.RIM_ANGLES[: count - 1]]
    covers, end_s = _covers(trace)
    passes = [each for each in covers if each.width_s <= _LONGEST_S]
    chains = [_chain(passes, angles, way) for way in (1, -1)]
    places, turns = max(chains, key=lambda chain: len(chain[0]))
    run = tuple(passes[k] for k in places)
    lap_s = _last_lap_s(run, turns)
    if lap_s is not None:
        limit_s = run[-1].s + _GONE_LAPS * lap_s
        is_gone = end_s > limit_s and not any(run[-1].s < c.s < limit_s for c in covers)
        lap_s = lap_s if is_gone else None
    return Spin(run, turns, lap_s)


def _covers(trace: Trace) -> tuple[list[Pass], float]:
    """Every pulse of the rim sensors, by its middle; and when the trace ends."""
    pulses: dict[int, list[list[float]]] = {rim: [] for rim in range(len(_RIMS))}
    now_s, last_us = 0.0, trace.tick_us
    for event in trace.events:
        now_s += ((event.t_us - last_us + _CLOCK // 2) % _CLOCK - _CLOCK // 2) / 1e6
        last_us = event.t_us
        if not isinstance(event, Edge) or event.sensor + 1 not in _RIMS:
            continue
        row = pulses[_RIMS.index(event.sensor + 1)]
        if not event.level:
            if row:
                row[-1][1] = now_s
        elif not row or now_s - row[-1][1] >= _GAP_S:
            row.append([now_s, now_s])
    passes = [
        Pass(rim, (rose + fell) / 2, fell - rose)
        for rim, row in pulses.items()
        for rose, fell in row
        if fell - rose >= _SHORTEST_S
    ]
    return sorted(passes, key=lambda each: each.s), now_s


def _chain(
    passes: Sequence[Pass], angles: Sequence[float], way: int
) -> tuple[list[int], tuple[float, ...]]:
    """The longest chain of passes that one ball can make in a direction, and the turns to each."""
    length, before = [1] * len(passes), [-1] * len(passes)
    laps = [0.0] * len(passes)  # of the last step of the longest chain that ends there
    arcs = [0.0] * len(passes)
    for k, each in enumerate(passes):
        for j in range(max(0, k - _BACK), k):
            arc = 1 - (angles[passes[j].rim] - angles[each.rim]) * way % 1
            lap = (each.s - passes[j].s) / arc
            fits = _FASTEST_LAP_S < lap < _SLOWEST_LAP_S
            if laps[j]:
                fits = fits and _LAP_LESS < lap / laps[j] < _LAP_MORE
            if fits and length[j] >= length[k]:
                length[k], before[k], laps[k], arcs[k] = length[j] + 1, j, lap, arc
    place = max(range(len(passes)), key=lambda k: length[k], default=-1)
    places: list[int] = []
    while place >= 0:
        places.insert(0, place)
        place = before[place]
    turned = 0.0
    turns: list[float] = []
    for k in places:
        turned += arcs[k] if turns else 0.0
        turns.append(turned)
    return places, tuple(turns)


def _last_lap_s(run: Sequence[Pass], turns: Sequence[float]) -> float | None:
    for place in range(len(run) - 2, -1, -1):
        if run[place].rim == run[-1].rim:
            is_one = abs(turns[-1] - turns[place] - 1) < 0.01
            return run[-1].s - run[place].s if is_one else None
    return None
