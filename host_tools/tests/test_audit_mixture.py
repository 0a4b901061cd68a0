"""The mixture of biases: its mean on fair wheels, its chance, and the bias that it names."""

import itertools
import math

import numpy as np
import pytest

from tabletools.audit import MACHINES, Spins, audit, bias_mixture
from tabletools.audit.audit_report import ALARM
from tabletools.audit.error_budget import Test
from tabletools.audit.sector_scan import newest_counts, window_lengths

EVEN = np.full(37, 1 / 37)


def ratio_of(counts):
    """The ratio of counts by window and field."""
    return float(bias_mixture.total(bias_mixture.log_ratios(counts, counts.sum(axis=-1))))


def report_of(places):
    """The audit of a wheel, and what its mixture found."""
    report = audit(Spins("", list(places), round=len(places)), MACHINES["single"])
    [found] = [one for one in report.findings.made if one.test is Test.MIXTURE]
    return report, found


@pytest.mark.parametrize("fields", [37, 54])
def test_its_mean_over_all_results_of_a_fair_wheel_is_one(fields):
    """Every pair of spins, with the newest as a window of its own: exactly 1."""
    pairs = np.array(list(itertools.product(range(fields), repeat=2)))
    fell = np.eye(fields, dtype=np.int64)[pairs]
    counts = np.stack((fell.sum(axis=1), fell[:, 1]), axis=1)
    ratios = bias_mixture.total(bias_mixture.log_ratios(counts, [2, 1]))
    assert float(ratios.mean()) == pytest.approx(1, abs=1e-9)


def test_the_likelihood_of_a_sector_by_hand():
    """100 spins, 30 of them in 5 fields, whose share is 4.5 deviations above 5/37."""
    counts = np.array([[6] * 5 + [3] * 6 + [2] * 26])
    assert counts.sum() == 100
    fair = 5 / 37
    raised = fair + 4.5 * math.sqrt(fair * (1 - fair) / 100)
    log = 30 * math.log(raised / fair) + 70 * math.log((1 - raised) / (1 - fair))
    # Weight: 0.315 of 0.75 without windows, over three widths and 37 fields.
    weight = 0.315 / 0.75 / 3 / 37
    width = bias_mixture.widths(37).index(5)
    logs = bias_mixture.log_ratios(counts, [100])
    assert logs[width, 0, 0] == pytest.approx(log + math.log(weight))


def from_the_mixture(lengths, wheels, rng):
    """Ratios of wheels drawn from the mixture: each stands for 1 / ratio fair wheels."""
    weights = 37 * bias_mixture.bias_weights(37, lengths)
    kinds, windows = np.divmod(rng.choice(weights.size, wheels, p=weights.ravel()), len(lengths))
    place, pieces, ratios = np.arange(37), -np.diff([*lengths, 0]), []
    for kind, window in zip(kinds, windows, strict=True):
        n = np.array([lengths[window]], dtype=float)
        if kind < 4:
            width = (1, 3, 5, 8)[kind]
            raised = float(bias_mixture.raised_share(width / 37, n)[0])
            biased = np.where(place < width, raised / width, (1 - raised) / (37 - width))
        else:
            biased = bias_mixture.side_chances(37, n)[0, :, 0]
        by_piece = [
            rng.multinomial(piece, biased if k >= window else EVEN)
            for k, piece in enumerate(pieces)
        ]
        ratios.append(ratio_of(np.cumsum(by_piece[::-1], axis=0)[::-1]))
    return np.array(ratios)


@pytest.mark.parametrize("n", [1_500, 40_000])
def test_the_chance_of_a_high_ratio_is_a_tenth_of_its_bound(n):
    """By draws from the mixture: the mean of 1 / ratio over those that reach a ratio."""
    lengths = [n, *window_lengths(n)]
    ratios = from_the_mixture(lengths, 1_500, np.random.default_rng(n))
    for reached in (10, 36.5, 200):
        factor = reached * float(np.where(ratios >= reached, 1 / ratios, 0).mean())
        assert 0.06 < factor < 1.15 * bias_mixture.FACTOR


def test_fair_wheels_reach_it_as_rarely_as_stated():
    """Of 2,000 fair wheels at most one in fifty has a p below 0.02: 40, three deviations more."""
    rng = np.random.default_rng(11)
    low = 0
    for _ in range(2_000):
        places = rng.integers(0, 37, 2_500)
        all_and_newest = [np.bincount(places, minlength=37)[None], newest_counts(places, 37)]
        low += bias_mixture.mixture(np.concatenate(all_and_newest)).p < 0.02
    assert 20 < low < 40 + 3 * math.sqrt(40)


def test_few_results_have_the_bound_itself():
    """Below ten expected in each field the chance is at most 1 / ratio."""
    found = bias_mixture.mixture(np.array([[9] + [1] * 36]))
    assert found.p == pytest.approx(1 / found.ratio)
    assert (found.width, found.start, found.count) == (1, 0, 9)


def test_the_advice_is_that_of_the_likeliest_bias():
    """A pocket, a sector over the end of the list, a side, a late sector: each by its name."""
    rng = np.random.default_rng(12)
    place = np.arange(37)
    for weights, cause, words in (
        (1 + 1.0 * (place == 4), Test.FULLEST, f"{MACHINES['single'].labels[4]}: "),
        (1 + 0.5 * ((place - 35) % 37 < 5), Test.SECTOR, "expected"),
        (1 + 0.3 * np.cos(place / 37 * 2 * math.pi), Test.LEAN, "the side of "),
    ):
        report, found = report_of(rng.choice(37, 6_000, p=weights / weights.sum()))
        assert report.verdict == ALARM
        assert found.cause is cause
        assert words in found.detail
    late = 1 + 0.6 * (place < 5)
    places = np.concatenate(
        (rng.integers(0, 37, 40_000), rng.choice(37, 2_500, p=late / late.sum()))
    )
    report, found = report_of(places)
    assert found.cause is Test.NEWEST
    assert "most of all newest 2" in found.detail
    assert report.step.endswith(Test.NEWEST.advice)


def test_a_gross_bias_has_a_chance_and_no_overflow():
    """A wheel that always stops in one field."""
    report, found = report_of([3] * 50_000)
    assert report.verdict == ALARM
    assert 0 < found.p < 1e-200
