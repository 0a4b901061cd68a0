"""Whether what was read as a die is round: a token or a button with the pips of a die is none.

Round about a turn the outline of a square comes near and goes away four times, of a disc never:
the fourth harmonic of its rays tells them apart however the corners are rounded. The second one
is that of sides seen beside the top, which may hide the corners; what shows it is left alone.
"""

from tablewire.compat import const

from .face import Face
from .picture import WAYS, root, way_x, way_y

# Per mille of the mean ray. Discs drawn with pips have 0 to 14 and 0 to 20; of dice in
# photographs 1 in 40 is below 14, and all of those above 30 in the second.
_FOURTH = const(14)
_SECOND = const(28)
_FARTHEST = const(8)  # of the middle ray, in fifths: beyond it a ray ran into a neighbour


def is_round(face: Face) -> bool:
    """Return whether an outline that differs from the cloth is a disc's."""
    if not face.strong:
        return False
    most = sorted(face.reach)[WAYS // 2] * _FARTHEST // 5
    if max(face.reach) > most or max(face.reach) == min(face.reach):
        return False  # the latter are as they began: outside the die, so nothing was measured
    return _harmonic(face.reach, 4) < _FOURTH and _harmonic(face.reach, 2) < _SECOND


def _harmonic(rays: "list[int]", number: int) -> int:
    """Return the length of a harmonic of the rays, per mille of their mean."""
    x = y = 0
    for k, ray in enumerate(rays):
        x += ray * way_x(number * k % WAYS)
        y += ray * way_y(number * k % WAYS)
    return 1000 * root(x * x + y * y) // (64 * sum(rays))
