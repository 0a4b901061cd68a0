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
        system = np.vstack([_slopes(off, facts, steps), weights])
        wanted = np.concatenate([-off(facts), weights @ (guess - facts)])
        facts = facts + np.linalg.lstsq(system, wanted, rcond=None)[0]
    return facts


def standard_errors(off: Callable[[Doubles], Doubles], facts: Doubles, steps: Doubles) -> Doubles:
    """Return the standard error of each of the facts for which off() is least, by what it leaves.

    What no fact changes is not counted.
    """
    slopes, left = _slopes(off, facts, steps), off(facts)
    is_counted = slopes.any(1)
    slopes, left = slopes[is_counted], left[is_counted]
    spread = left @ left / max(len(left) - len(facts), 1)
    return np.asarray(np.sqrt(spread * np.diag(np.linalg.pinv(slopes.T @ slopes))))


def _slopes(off: Callable[[Doubles], Doubles], facts: Doubles, steps: Doubles) -> Doubles:
    now = off(facts)
    return np.stack([(off(facts + step) - now) / step.sum() for step in np.diag(steps)], 1)
