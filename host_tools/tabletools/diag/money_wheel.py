"""A money wheel: the readings of its flapper, and what it loses by itself.

That is measured from turns that nobody touched. The device's own logic follows each turn and its
steps are recorded; the law is fitted to them in floating point, and the limits are what the same
steps come to under it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablelogic.money_wheel.coast_law import Law
from tabletools.errors import ToolError
from tabletools.key_range import range_of, verify_ranges
from tablewire import money_wheel as words

LEAST_TURNS = 20
_TURN = 2.9515e8  # the square of one turn a second, as the device has it: (2^28 / 64 us)^2
_FRICTION = 163972 / 4  # what a quarter turn takes of it at 0.1 degrees/s^2
_SLACK_TAILS = 3.0  # standard deviations by which the friction of one run may differ
# And its peaks, of a turn or a slow wheel: once in 3,000 turns (Gumbel), for 30 turns leave them
# uncertain; as a share of the highest one.
_TAILS, _SHARE = 6.0, 2.0
# Of the last seven pins, where a finger takes least: once in 570. Wider, a finger has more room,
# and no fewer healthy turns are void; the others so narrow, 17 of 1,000 smooth turns are.
_LAST_TAILS, _LAST_SHARE = 4.5, 1.5
_HOLD_TAILS = 3.7  # and the hold of a pin
_LEAST_SWING = 200  # of 4095: less is noise, and not a flapper on a pin
_TREMBLE = 128
_ROOM_PERCENT = 25  # a drag of so much more than friction has to show within one turn


@dataclass(frozen=True)
class Pass:
    """A slow wheel went through a segment: squares of 256 segments a second before and behind."""

    segment: int
    way: int
    before: int
    after: int


class Recorder(Law):
    """Is in the place of a wheel's law, and records the steps of its last run.

    steps: squares of the speed of consecutive turns. passes: of slow pins. rest: segment and way
    where it came to rest.
    """

    def __init__(self, config: Sequence[int], pins: int) -> None:
        super().__init__(list(config), pins)
        self.is_known = True
        self.rest = self._left = (0, 1)
        self.steps: list[tuple[int, int]] = []
        self.passes: list[Pass] = []
        self._begins = True

    def reset(self) -> None:
        """See Law: what follows is another run."""
        super().reset()
        self._begins = True

    def turn(self, before: int, after: int) -> None:
        """See Law."""
        if self._begins:
            self._begins, self.steps, self.passes = False, [], []
        self.steps.append((before, after))

    def due(self, energy: int, pin: int, way: int) -> int:
        """See Law."""
        self._left, self.rest = self.rest, (pin, way)
        return 100

    def pin(self, before: int, after: int, due: int, loss: int) -> None:
        """See Law."""
        self.passes.append(Pass(*self._left, before, after))


def record(role: Any, config: Sequence[int]) -> Recorder:
    """Have a role of the device's logic record its run; it judges no more by the law."""
    recorder = Recorder(config, role.run.law.pins)
    role.run.law = role.run.turns.law = role.run.coasting.law = recorder
    return recorder


def learn(config: Sequence[int], pins: int, runs: Sequence[Recorder]) -> dict[int, int]:
    """Return the law of a wheel, by key. Raises ToolError when its spread leaves no room."""
    if len(runs) < LEAST_TURNS:
        raise ToolError(
            f"{len(runs)} turns with a result",
            limit=f"at least {LEAST_TURNS}",
            step="spin on, and touch nothing",
        )
    keys = _friction(pins, runs)
    keys |= _imbalance(_law(config, keys, pins), runs)
    keys |= _limits(config, keys, pins, runs)
    verify_ranges(
        keys,
        cause="the wheel was touched, or it is too rough or too far out of balance",
        step="see to bearing, pins and balance, then spin again",
    )
    _verify_room(keys, pins)
    return keys


def _verify_room(keys: Mapping[int, int], pins: int) -> None:
    shows = (_ROOM_PERCENT - keys[words.LAW_SLACK_PERCENT]) * pins
    if keys[words.TURN_LIMIT] >= shows:
        raise ToolError(
            "a drag of 1.25 times the friction would not show within one turn: it takes"
            f" {_ROOM_PERCENT * pins / 100:.1f} pins",
            limit=f"free turns differ by up to {keys[words.TURN_LIMIT] / 100:.1f} pins and"
            f" {keys[words.LAW_SLACK_PERCENT]} % of the friction",
            cause="the wheel is too rough, or was touched",
            step="see to bearing and pins, then spin again, and touch nothing",
        )


def unseen(keys: Mapping[int, int]) -> str:
    """What a hand may take from a wheel with this law, or give it, and not be seen."""
    if not keys[words.TURN_LIMIT]:
        return (
            "not calibrated: a soft drag or help, dabs, and a finger shortly before rest are"
            " not seen; spin for --calibrate wheel_law"
        )
    turns, slow, last = (
        keys[key] / 100 for key in (words.TURN_LIMIT, words.SLOW_LIMIT, words.LAST_LIMIT)
    )
    return (
        f"a hand that takes or gives less than {turns:.1f} pins while fast, {slow:.1f} while slow"
        f" or {last:.1f} in the last seven is not seen, nor one below"
        f" {keys[words.LAW_SLACK_PERCENT]} % of the friction"
    )


def _law(config: Sequence[int], keys: Mapping[int, int], pins: int) -> Law:
    values = list(config)
    for key, value in keys.items():
        values[key] = value
    return Law(values, pins)


def _friction(pins: int, runs: Sequence[Recorder]) -> dict[int, int]:
    """Least squares of what a quarter turn takes over the square of the speed."""
    steps = [((a + b) / 2, a - b) for run in runs for a, b in run.steps]
    middle = statistics.fmean(x for x, _ in steps)
    mean = statistics.fmean(y for _, y in steps)
    slope = sum((x - middle) * (y - mean) for x, y in steps)
    slope = max(slope / sum((x - middle) ** 2 for x, _ in steps), 0.0)
    still = mean - slope * middle
    return {
        words.FRICTION_DDEGSS: round(still / _FRICTION),
        words.AIR_1024: round(1024 * slope * _TURN / still),
    }


def _imbalance(law: Law, runs: Sequence[Recorder]) -> dict[int, int]:
    """The first harmonic of what slow pins take, by their place."""
    cosine = sine = 0.0
    passes = [each for run in runs for each in run.passes]
    excesses = [
        100 * (each.before - each.after) / law.loss - law.due(each.before, 0, 0) for each in passes
    ]
    mean = statistics.fmean(excesses)
    for number, each in enumerate(passes):
        gives = each.way * (mean - excesses[number])
        angle = 2 * math.pi * each.segment / law.pins
        cosine += gives * math.cos(angle)
        sine += gives * math.sin(angle)
    height = 2 * math.hypot(cosine, sine) / len(passes)
    first = math.atan2(-cosine, sine) / 2 / math.pi * law.pins
    return {words.IMBALANCE_PERCENT: round(height), words.IMBALANCE_PIN: round(first) % law.pins}


def _limits(
    config: Sequence[int], keys: Mapping[int, int], pins: int, runs: Sequence[Recorder]
) -> dict[int, int]:
    means = [_off(_law(config, keys, pins), run) for run in runs]
    slack = max(math.ceil(_SLACK_TAILS * 100 * statistics.stdev(means)), 1)
    law = _law(config, {**keys, words.LAW_SLACK_PERCENT: slack}, pins)
    peaks = [_peaks(law, run) for run in runs]
    low, high = _hold(law, runs)
    return {
        words.LAW_SLACK_PERCENT: slack,
        words.TURN_LIMIT: _tail([peak[0] for peak in peaks]),
        words.SLOW_LIMIT: _tail([peak[1] for peak in peaks]),
        words.LAST_LIMIT: _tail([peak[2] for peak in peaks], _LAST_TAILS, _LAST_SHARE),
        words.HOLD_LOW_PERCENT: low,
        words.HOLD_HIGH_PERCENT: high,
    }


def _off(law: Law, run: Recorder) -> float:
    """By what share a whole run was off the law."""
    due = lost = 0.0
    for before, after in run.steps:
        lost += (before - after) / _FRICTION
        due += law.friction * (1 + law.air * (before + after) / 2 / _TURN / 1024)
    return lost / due - 1


def _peaks(law: Law, run: Recorder) -> tuple[int, int, int]:
    law.reset()
    for before, after in run.steps:
        law.turn(before, after)
    for each in run.passes:
        due = law.due(each.before, each.segment, each.way)
        law.pin(each.before, each.after, due, law.loss)
    return law.turns.peak, law.slow.peak, law.last.peak


def _tail(peaks: Sequence[int], tails: float = _TAILS, share: float = _SHARE) -> int:
    normal = statistics.fmean(peaks) + tails * statistics.stdev(peaks)
    return math.ceil(max(normal, share * max(peaks)))


def _hold(law: Law, runs: Sequence[Recorder]) -> tuple[int, int]:
    """The energy that a pin holds back, most likely: between those passed and not passed."""
    went, stayed = [], []
    for run in runs:
        for each in run.passes:
            went.append(_need(law, each.before, each.segment, each.way))
        stayed.append(_need(law, run.passes[-1].after, *run.rest))
    near = [each for each in went if each < 300]
    least = max(round(_pin_spread(law, runs)), 6)
    middle, spread = max(
        ((middle, spread) for middle in range(50, 251, 2) for spread in range(least, 61, 3)),
        key=lambda normal: _likelihood(normal, near, stayed),
    )
    return (
        max(min(round(middle - _HOLD_TAILS * spread), math.floor(min(near))), 0),
        max(round(middle + _HOLD_TAILS * spread), math.ceil(max(stayed))),
    )


def _pin_spread(law: Law, runs: Sequence[Recorder]) -> float:
    """How much the last pins differ in what they take, in percent of their mean."""
    takes: list[float] = [
        100 * (each.before - each.after) / law.loss - law.due(each.before, each.segment, each.way)
        for run in runs
        for each in run.passes
        if each.before < 7 * law.loss
    ]
    return statistics.stdev(takes)


def _need(law: Law, energy: int, segment: int, way: int) -> float:
    need: float = 100 * energy / law.loss + 100 - law.due(energy, segment, way)
    return need


def _likelihood(normal: tuple[int, int], went: Sequence[float], stayed: Sequence[float]) -> float:
    middle, spread = normal
    ways = [(middle - x) for x in went] + [(x - middle) for x in stayed]
    return sum(math.log(max(math.erfc(x / spread / math.sqrt(2)), 1e-9)) for x in ways)


def still(lowest: int, highest: int) -> int:
    """Return the reading of a flapper that rests between two pins.

    Raises ToolError when it moved.
    """
    if highest - lowest > _TREMBLE:
        raise ToolError(
            f"the flapper moved by {highest - lowest}",
            limit=f"at most {_TREMBLE} of 4095",
            cause="the wheel turns",
            step="let it rest with the flapper between two pins",
        )
    return lowest


def flapper(at_rest: int, lowest: int, highest: int) -> dict[int, int]:
    """Return rest and top of a flapper: the reading between two pins, and the farthest one."""
    top = highest if highest - at_rest >= at_rest - lowest else lowest
    if abs(top - at_rest) < _LEAST_SWING:
        raise ToolError(
            f"the flapper swung by {abs(top - at_rest)}",
            limit=f"at least {_LEAST_SWING} of 4095",
            cause="the wheel was not turned, or the sensor is too far away",
            step="turn it slowly over three pins, then try again",
        )
    keys = {words.FLAPPER_REST_RAW: at_rest, words.FLAPPER_TOP_RAW: top}
    for key, value in keys.items():
        if value not in range_of(key):
            raise ToolError(
                f"the flapper reads {value}",
                limit=str(range_of(key)),
                cause="its wire is cut or shorted, or the sensor is too near",
                step="repair it first: 612 flapper_lost",
            )
    return keys
