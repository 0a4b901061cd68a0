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
        now = off(facts)
        slopes = [(off(facts + step) - now) / step.sum() for step in np.diag(steps)]
        system = np.vstack([np.stack(slopes, 1), weights])
        wanted = np.concatenate([-now, weights @ (guess - facts)])
        facts = facts + np.linalg.lstsq(system, wanted, rcond=None)[0]
    return facts
