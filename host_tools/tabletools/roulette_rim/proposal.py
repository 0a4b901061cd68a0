"""The keys that the measured rim of one wheel proposes, or why it cannot be judged by its laps.

HARDWARE.md ("What is measured at the rim") has each limit with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from tabletools.errors import ToolError
from tabletools.key_range import range_of, verify_ranges
from tabletools.roulette_rim.lap_law import SPREAD, Law, measure
from tabletools.roulette_rim.spin import Spin
from tablewire import roulette

SPINS = 30
_LEAST_GROWTHS = 4  # of a spin: two of either sensor
# The device allows for so much jitter of a pass by itself, whatever its keys.
ALLOWED_JITTER_S = 0.0004
_MOST_JITTER_S = 0.002
# Between sessions a wheel warms up, balls are changed and the rim collects dust.
_MARGIN = 1.25
_MOST_UNCERTAIN = 0.5  # of the estimate, and
_UNCERTAIN = 0.05  # a quarter of the factory value
# Above it a slack of three spreads is as wide as what a ball thrown again in place changes.
MOST_ROUGHNESS = {2: 0.25, 3: 0.30, 4: 0.30}
_SIGMAS = 3  # of the device's slack
_OFF = 4 / 1024  # and what it allows for on any rim
_SHARE_OF_SLACK = 4  # that the uncertainty of the law may be
# Of 30 laps of a normal distribution, 99.9 % of all are above the mean less four times their
# standard deviation, with 95 % confidence (one-sided tolerance factor 4.02).
_TOLERANCE = 4.02
_WIDTH_JITTER_S = 0.0006
_TEN_THOUSAND = 10_000


@dataclass(frozen=True)
class Proposal:
    """keys: by number. law: see there. drop_laps_s: the last lap of each spin whose end was seen.

    width_beside: share by which 99 of 100 pulses are wider or narrower than laps explain.
    skids_to: turns after the first pass up to which a lap lost more than a rolling ball loses.
    """

    keys: dict[int, int]
    law: Law
    spins: int
    drop_laps_s: tuple[float, ...]
    width_beside: float
    skids_to: float


def usable(spin: Spin) -> bool:
    """Whether a spin has laps of a rolling ball."""
    return len(spin.growths()) >= _LEAST_GROWTHS


def propose(spins: Sequence[Spin], rims: int, now: Mapping[int, int]) -> Proposal:
    """Return the keys for spins of one wheel. now: its present values, by key.

    Raises ToolError for too few spins, or a wheel that leaves no room for forgery to be noticed.
    """
    good = [spin for spin in spins if usable(spin)]
    if len(good) < SPINS:
        raise ToolError(
            f"{len(good)} usable spins of {len(spins)}",
            limit=f"at least {SPINS} with laps of a rolling ball",
            cause="short spins, caught balls, or a rim sensor that misses passes",
            step="play more; `tabletool diag PORT --self-test` first if few of many are usable",
        )
    law = measure(good, ALLOWED_JITTER_S)
    _verify(law, rims)
    drops = tuple(spin.drop_lap_s for spin in good if spin.drop_lap_s is not None)
    roughness = ceil(law.needs.high * _MARGIN * 1000)
    keys = {
        roulette.RIM_ROUGHNESS: range_of(roulette.RIM_ROUGHNESS).nearest(roughness),
        roulette.LAP_STEADY: round(law.steady.value * _TEN_THOUSAND),
        roulette.LAP_SQUARE: round(law.square.value * _TEN_THOUSAND),
        **_drop_keys(drops, now),
    }
    verify_ranges(
        keys,
        cause="a ball that brakes as no ball does, or a rim sensor that misses passes",
        step="clean the rim and its sensors, use one ball of the table, then play again",
    )
    _verify_law(law, keys[roulette.RIM_ROUGHNESS])
    skids_to = max(_skids_to(spin, law, keys[roulette.RIM_ROUGHNESS]) for spin in good)
    return Proposal(keys, law, len(good), drops, _width_beside(good), skids_to)


def _verify(law: Law, rims: int) -> None:
    """Raise ToolError for times too coarse, an estimate too uncertain, a rim too rough."""
    if law.jitter_s.high > _MOST_JITTER_S:
        raise ToolError(
            f"the times of the passes scatter by {_ms(law.jitter_s.value)} ms: no roughness can"
            " be estimated from that",
            where=f"95 %: {_ms(law.jitter_s.low)} to {_ms(law.jitter_s.high)} ms",
            limit=f"{_ms(_MOST_JITTER_S)} ms",
            cause="laps timed by hand, a slow or dirty rim sensor, or stray light",
            step="clean the sensors and check their lines (HARDWARE.md), then play again",
        )
    needs, most = law.needs, MOST_ROUGHNESS[rims]
    if needs.low > most or (needs.high > most and not _is_uncertain(law)):
        raise ToolError(
            f"the rim is too rough to tell a forged spin by its laps: roughness"
            f" {_share(needs.value)}",
            where=f"95 %: {_share(needs.low)} to {_share(needs.high)}; drag"
            f" {_share(law.roughness.value)}, from spin to spin {_share(law.spins.value)},"
            f" passes {_ms(law.jitter_s.value)} ms",
            limit=f"{_share(most)} with {rims} rim sensors",
            cause="a dirty, dented or unlevel rim, a worn ball, or several balls in play",
            step="clean and level the rim, use one ball, or fit three or four rim sensors; what"
            " two miss on such a wheel: HARDWARE.md, What is measured at the rim",
        )
    if _is_uncertain(law):
        raise ToolError(
            f"roughness {_share(needs.value)} is too uncertain",
            where=f"95 %: {_share(needs.low)} to {_share(needs.high)}",
            limit=f"up to {_share(needs.value * (1 + _MOST_UNCERTAIN) + _UNCERTAIN)}",
            cause="few laps a spin, or spins that differ much",
            step="play 30 spins more, of eight laps and more each",
        )


def _is_uncertain(law: Law) -> bool:
    return law.needs.high > law.needs.value * (1 + _MOST_UNCERTAIN) + _UNCERTAIN


def _verify_law(law: Law, roughness: int) -> None:
    """Raise ToolError where the law is less certain than a quarter of the slack around it."""
    for lap_s, off in zip(law.laps_s, law.growth_off, strict=True):
        slack = _slack(law, roughness, lap_s)[1]
        if off > slack / _SHARE_OF_SLACK:
            raise ToolError(
                f"at laps of {_ms(lap_s)} ms the law of the laps is uncertain by"
                f" {off * 1000:.1f}/1000 of a lap",
                limit=f"{slack / _SHARE_OF_SLACK * 1000:.1f}/1000, a quarter of its slack",
                cause="few laps a spin, or spins that differ much",
                step="play 30 spins more, of eight laps and more each",
            )


def _slack(law: Law, roughness: int, lap_s: float) -> tuple[float, float]:
    """The growth of a lap by the law, and how far the device lets it be beside that."""
    growth = law.square.value + law.steady.value * lap_s**2
    return growth, _OFF + _SIGMAS * roughness / 1000 * (SPREAD / lap_s) ** 0.5 * growth


def _skids_to(spin: Spin, law: Law, roughness: int) -> float:
    """The turns up to which every lap lost more than the law and its slack allow."""
    turns = 0.0
    for growth in spin.growths(after_turns=0.0):
        first_s, second_s = (float(each) for each in np.diff(growth.times_s))
        due, slack = _slack(law, roughness, second_s)
        due += law.square.value * (second_s / first_s - 1)
        if (second_s / first_s - 1) * 2 * second_s / (first_s + second_s) < due + slack:
            break
        turns = spin.turns[growth.passes[2]]
    return turns


def _drop_keys(drops: Sequence[float], now: Mapping[int, int]) -> dict[int, int]:
    """The shortest and the longest lap after which a ball of this wheel drops, in ms."""
    if len(drops) < SPINS // 2:
        raise ToolError(
            f"the ball was seen to leave the rim in {len(drops)} spins",
            limit=f"at least {SPINS // 2}",
            cause="the balls were caught, or the rounds void, before it left the rim",
            step="let the ball drop by itself; set rim_roughness to its factory value, 200, first",
        )
    mean, spread = float(np.mean(drops)), float(np.std(drops, ddof=1)) * _TOLERANCE
    shortest = floor(min(mean - spread, min(drops)) * 1000)
    longest = ceil(max(mean + spread, max(drops)) * 1000)
    least = max(
        now[roulette.LAUNCH_LAP_MAX_MS],
        now[roulette.NMB_LAP_MS],
        range_of(roulette.DROP_LAP_MS).low,
    )
    if shortest < least:
        raise ToolError(
            f"the ball drops after laps of {shortest} ms",
            where="drop_lap_ms",
            limit=f"at least {least}, as launch_lap_max_ms and nmb_lap_ms",
            cause="a tilted wheel, or a short lap before a drop that was helped",
            step="level the wheel, or lower launch_lap_max_ms and nmb_lap_ms; calibrate again",
        )
    stuck = min(max(now[roulette.STUCK_LAP_MS], longest), range_of(roulette.STUCK_LAP_MS).high)
    return {roulette.STUCK_LAP_MS: stuck, roulette.DROP_LAP_MS: min(shortest, stuck - 1)}


def _width_beside(spins: Sequence[Spin]) -> float:
    """How far a pulse is from the one before by its arc, beyond the jitter of its edges."""
    shares = []
    for spin in spins:
        before: dict[int, float] = {}
        for growth in spin.growths():
            each = spin.passes[growth.passes[1]]
            first_s, second_s = np.diff(growth.times_s)
            speed = (second_s / first_s + first_s / second_s) / (first_s + second_s)
            arc = each.width_s * speed
            off = abs(arc - before.get(each.rim, arc)) - _WIDTH_JITTER_S * speed
            shares.append(max(off, 0.0) / arc)
            before[each.rim] = arc
    return float(np.quantile(shares, 0.99))


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.3g}"


def _share(value: float) -> str:
    return f"{value * 100:.1f} %"
