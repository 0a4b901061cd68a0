"""Facts of a lens from what it shows, by least squares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
_ROUNDS = 8
_GUESSED = 0.01
"""Weight of the guess, so that dice in one place leave nothing undetermined."""


def nearest(
    off: Callable[[Doubles], Doubles], guess: Doubles, usual: Doubles, steps: Doubles
) -> Doubles:
    """Return the facts for which off() is least.

    usual: by how much each may well differ from a guess. steps: in which its effect is measured.
    """
    weights = np.diag(_GUESSED / usual)
    facts = guess
    for _ in range(_ROUNDS):
        left, slopes = _left_and_slopes(off, facts, steps)
        system = np.vstack([slopes, weights])
        wanted = np.concatenate([-left, weights @ (guess - facts)])
        facts = facts + np.linalg.lstsq(system, wanted, rcond=None)[0]
    return facts


def standard_errors(off: Callable[[Doubles], Doubles], facts: Doubles, steps: Doubles) -> Doubles:
    """Return the standard error of each of the facts for which off() is least, by what it leaves.

    What no fact changes is not counted.
    """
    left, slopes = _left_and_slopes(off, facts, steps)
    is_counted = slopes.any(1)
    left, slopes = left[is_counted], slopes[is_counted]
    spread = left @ left / max(len(left) - len(facts), 1)
    return np.asarray(np.sqrt(spread * np.diag(np.linalg.pinv(slopes.T @ slopes))))


def _left_and_slopes(
    off: Callable[[Doubles], Doubles], facts: Doubles, steps: Doubles
) -> tuple[Doubles, Doubles]:
    """Return what the facts leave (n,), and how it changes with each of them (n, facts)."""
    left = off(facts)
    return left, np.stack([(off(facts + step) - left) / step.sum() for step in np.diag(steps)], 1)
