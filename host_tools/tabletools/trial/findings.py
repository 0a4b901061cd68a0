"""What a field trial shows: agreement, voids, the spread of what the ball does, with intervals.

A void is false where the other reader has a number. An interval of a share is Wilson's, that of a
mean and of a standard deviation is by resamples; all are of 95 %.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from tablespec.names import KEY_NAMES
from tabletools.errors import ToolError
from tabletools.explain import BY_NUMBER
from tabletools.replay import Read, Trace
from tabletools.roulette_rim.lap_law import Law, measure
from tabletools.roulette_rim.proposal import ALLOWED_JITTER_S, propose, usable
from tabletools.roulette_rim.spin import Spin
from tabletools.trial.readings import NONE, Reading
from tablewire import roulette

_Z = 1.96
_RESAMPLES = 1000
_LEAST = 5  # values for an interval
_LEAST_SPINS = 10  # for the law of the laps
_PLACES = (roulette.RIM_SENSORS, *roulette.RIM_ANGLES)
_RESULT_MS = 10  # place of result_ms in wheel_result


@dataclass(frozen=True)
class Ended:
    """A round of the table."""

    round: int
    number: str | None
    """Of a result, else None."""
    code: int | None
    """Of a void, else None."""
    ended_s: float = 0.0
    """Seconds since 1970, UTC."""


@dataclass(frozen=True)
class Share:
    """count of total, and its interval."""

    count: int
    total: int
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a figure, each with its interval, (low, high)."""

    count: int
    mean: float
    mean_95: tuple[float, float]
    deviation: float
    deviation_95: tuple[float, float]


@dataclass(frozen=True)
class Findings:
    """The result of a trial."""

    rounds: int
    """Of the table."""
    agree: Share
    """Numbers that are equal, of those that both readers have."""
    differ: tuple[tuple[int, str, str], ...]
    """Round, number of the table, number of the reader."""
    voids: tuple[tuple[int, int, int], ...]
    """Code, voids, and the false ones of them."""
    false_voids: Share
    """Of the rounds in which the reader has a number."""
    alone: tuple[tuple[int, str], ...]
    """Round, and number of the table where the reader has none."""
    unread: int
    """Rounds without an entry of the reader."""
    unmatched: int
    """Entries of the reader without a round."""
    shift: int
    """Lines by which the entries would agree, 0 where they are in step."""
    spreads: Mapping[str, Spread]
    """By name, with the unit in it."""
    law: Law | None
    """Of the laps, None for too few spins."""
    keys: tuple[tuple[str, int, int], ...]
    """Name, present value, value that fits this wheel better."""
    no_keys: str
    """Why there are none."""


def share(count: int, total: int) -> Share:
    """Return count of total with Wilson's interval; of nothing everything is possible."""
    if not total:
        return Share(0, 0, 0.0, 1.0)
    rate, square = count / total, _Z**2 / total
    middle = (rate + square / 2) / (1 + square)
    half = _Z / (1 + square) * sqrt(rate * (1 - rate) / total + square / (4 * total))
    return Share(count, total, max(0.0, middle - half), min(1.0, middle + half))


def spread(values: Sequence[float]) -> Spread | None:
    """Return the spread of some figures, None for too few. The same figures give the same."""
    if len(values) < _LEAST:
        return None
    data, rng = np.array(values), np.random.default_rng(len(values))
    drawn = data[rng.integers(0, len(data), (_RESAMPLES, len(data)))]
    means, deviations = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    return Spread(
        len(values),
        float(data.mean()),
        _interval(means),
        float(data.std(ddof=1)),
        _interval(deviations),
    )


def _interval(drawn: Any) -> tuple[float, float]:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def rest_to_number_ms(trace: Trace) -> float | None:
    """Return the time from the last change of the pocket array to the result, None without one."""
    if trace.ended != roulette.WHEEL_RESULT or trace.cut:
        return None
    reads = [event for event in trace.events if isinstance(event, Read)]
    changes = [each for before, each in pairwise(reads) if each.bits != before.bits]
    last = changes[-1] if changes else (reads[0] if reads else None)
    if last is None:
        return None
    return ((trace.events[-1].t_us - last.t_us) % (1 << 30)) / 1000


def compare(
    ended: Sequence[Ended], pairs: Sequence[Reading | None], unmatched: int
) -> dict[str, Any]:
    """Return what the numbers show, as fields of Findings."""
    both, differ, alone = 0, [], []
    voids: Counter[int] = Counter()
    false: Counter[int] = Counter()
    numbers = 0
    for each, reading in zip(ended, pairs, strict=True):
        is_number = reading is not None and reading.number != NONE
        numbers += is_number
        if each.code is not None:
            voids[each.code] += 1
            false[each.code] += is_number
        elif reading is not None and each.number is not None:
            if not is_number:
                alone.append((each.round, each.number))
                continue
            both += 1
            if each.number != reading.number:
                differ.append((each.round, each.number, reading.number))
    return {
        "rounds": len(ended),
        "agree": share(both - len(differ), both),
        "differ": tuple(differ),
        "voids": tuple((code, voids[code], false[code]) for code in sorted(voids)),
        "false_voids": share(sum(false.values()), numbers),
        "alone": tuple(alone),
        "unread": sum(reading is None for reading in pairs),
        "unmatched": unmatched,
        "shift": _shift(ended, pairs) if len(differ) > both / 2 else 0,
    }


def _shift(ended: Sequence[Ended], pairs: Sequence[Reading | None]) -> int:
    """Return by how many lines the entries are out of step, 0 where no shift explains it."""
    for lines in (1, -1, 2, -2, 3, -3):
        both = [
            (each.number, reading.number)
            for place, each in enumerate(ended)
            if each.number is not None
            and 0 <= place + lines < len(pairs)
            and (reading := pairs[place + lines]) is not None
        ]
        if len(both) >= _LEAST and sum(a == b for a, b in both) > 0.8 * len(both):
            return lines
    return 0


def findings(
    ended: Sequence[Ended],
    pairs: Sequence[Reading | None],
    unmatched: int,
    rounds: Sequence[tuple[Trace, Spin]],
) -> Findings:
    """Return everything a trial shows. rounds: those with a trace, oldest first."""
    rounds = of_present_places(rounds)
    good = [spin for _, spin in rounds if usable(spin)]
    law = measure(good, ALLOWED_JITTER_S) if len(good) >= _LEAST_SPINS else None
    keys, why = _proposal(rounds)
    return Findings(
        **compare(ended, pairs, unmatched),
        spreads=_spreads(rounds),
        law=law,
        keys=keys,
        no_keys=why,
    )


def of_present_places(rounds: Sequence[tuple[Trace, Spin]]) -> list[tuple[Trace, Spin]]:
    """Return the rounds whose rim sensors are where those of the last one are."""
    places = [[trace.config[key] for key in _PLACES] for trace, _ in rounds]
    return [each for each, own in zip(rounds, places, strict=True) if own == places[-1]]


def _spreads(rounds: Sequence[tuple[Trace, Spin]]) -> dict[str, Spread]:
    spins = [spin for _, spin in rounds]
    results = [trace for trace, _ in rounds if trace.ended == roulette.WHEEL_RESULT]
    rests = [rest_to_number_ms(trace) for trace in results]
    figures = {
        "laps from the first pass to the last": [spin.laps for spin in spins if spin.passes],
        "last whole lap at a sensor, ms": [
            spin.drop_lap_s * 1000 for spin in spins if spin.drop_lap_s is not None
        ],
        "drop noticed to number, ms": [float(trace.values[_RESULT_MS]) for trace in results],
        "rest to number, ms": [rest for rest in rests if rest is not None],
    }
    return {
        name: result for name, values in figures.items() if (result := spread(values)) is not None
    }


def _proposal(
    rounds: Sequence[tuple[Trace, Spin]],
) -> tuple[tuple[tuple[str, int, int], ...], str]:
    """Return the keys that fit better than the present ones, and why where there are none."""
    if not rounds:
        return (), "no round has a trace"
    now = rounds[-1][0].config
    try:
        proposal = propose(
            [spin for _, spin in rounds], now[roulette.RIM_SENSORS], dict(enumerate(now))
        )
    except ToolError as error:
        limit = f" ({error.limit})" if error.limit else ""
        return (), f"{error.what}{limit}"
    keys = tuple(
        (KEY_NAMES[key - 1], now[key], value)
        for key, value in proposal.keys.items()
        if now[key] != value
    )
    return keys, "" if keys else "the present values fit"


def data(result: Findings, device: int) -> dict[str, Any]:
    """The findings as JSON-ready data."""
    return {"device": device} | asdict(result)


def lines(result: Findings, device: int) -> list[str]:
    """The findings as lines for users."""
    text = [f"trial of table {device}: {result.rounds} rounds, {result.unread} without an entry"]
    text.append(_share_line("numbers that agree", result.agree))
    text += [
        f"  round {number}: table {own}, reader {other}" for number, own, other in result.differ
    ]
    if result.shift:
        text.append(
            f"  the entries agree when moved by {result.shift}: a line is missing or too many"
        )
    text.append(_share_line("false voids, of spins with a number", result.false_voids))
    for code, count, false in result.voids:
        reason = BY_NUMBER.get(code)
        name = "unknown" if reason is None else reason.name
        text.append(f"  {code} {name}: {count} void, {false} of them false")
    text += [f"  round {number}: table {own}, reader none" for number, own in result.alone]
    if result.unmatched:
        text.append(f"{result.unmatched} entries of the reader have no round of the table")
    for name, each in result.spreads.items():
        text.append(f"{name}: mean {_figure(each.mean, each.mean_95)}, of {each.count}")
        text.append(f"  standard deviation {_figure(each.deviation, each.deviation_95)}")
    text += _law_lines(result.law)
    text += [f"fits better: {name} = {new}, now {old}" for name, old, new in result.keys]
    if result.keys:
        text.append("store them with `tabletool diag PORT --calibrate rim --traces DB`")
    else:
        text.append(f"no keys to change: {result.no_keys}")
    return text


def _share_line(name: str, each: Share) -> str:
    if not each.total:
        return f"{name}: none to compare"
    return (
        f"{name}: {each.count} of {each.total}, {each.count / each.total:.1%}"
        f" (95 %: {each.low:.1%} to {each.high:.1%})"
    )


def _figure(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.4g} (95 %: {interval[0]:.4g} to {interval[1]:.4g})"


def _law_lines(law: Law | None) -> list[str]:
    if law is None:
        return [f"law of the laps: fewer than {_LEAST_SPINS} spins with laps of a rolling ball"]
    figures = (
        ("steady drag, turns/s2", law.steady, 1.0),
        ("square drag, per turn", law.square, 1.0),
        ("roughness of the drag, %", law.roughness, 100.0),
        ("drag from spin to spin, %", law.spins, 100.0),
        ("jitter of a pass, ms", law.jitter_s, 1000.0),
    )
    return [
        f"{name}: {_figure(each.value * scale, (each.low * scale, each.high * scale))}"
        for name, each, scale in figures
    ]
