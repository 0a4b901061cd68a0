"""By how much a picture of a tray is shifted against the empty one, and how alike they are.

The edges of the empty tray are looked for in the picture: their directions at all places are
correlated with those of the picture, at every shift at once. Dice and hands add edges, which are
at none of these places; they hide few. Edges are smooth: every second one of a row, in every
second row, tells as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.picture_patches import Grey

Edges = npt.NDArray[np.complex64]
Spectrum = npt.NDArray[np.float32]
_SMOOTH_PX = 1.5  # sigma
_FAINT, _CLEAR = 2.0, 12.0  # greys a px: no edge below; a clearer one counts no more
_LEAST_IN_VIEW = 0.4  # of all edges: a shift that leaves fewer explains little


class Registration(NamedTuple):
    """right, down: px by which the picture is shifted. likeness: share of the empty tray's edges
    that are there, 1 for the same picture; of those in view after the shift."""

    right: float
    down: float
    likeness: float

    @property
    def shift_px(self) -> float:
        """Length of the shift."""
        return float(np.hypot(self.right, self.down))


class EmptyView(NamedTuple):
    """What a picture of the empty tray gives to each comparison with it.

    edges: see _few. whole: the sum of their squares. spectrum: see _spectrum.
    """

    edges: Edges
    whole: float
    spectrum: Spectrum

    @classmethod
    def from_picture(cls, empty: Grey) -> EmptyView:
        """Prepare the comparisons with a picture of the empty tray."""
        edges = _few(empty)
        return cls(edges, float((np.abs(edges) ** 2).sum()), _spectrum(edges))


def registered(empty: EmptyView, picture: Grey) -> Registration:
    """Return how a picture of the same size lies on that of the empty tray."""
    edges = _few(picture)
    product = cv2.mulSpectrums(_spectrum(edges), empty.spectrum, 0, conjB=True)
    alike = cv2.dft(product, flags=cv2.DFT_INVERSE | cv2.DFT_SCALE)[..., 0]
    row, column = np.unravel_index(int(alike.argmax()), alike.shape)
    down, right = (
        int(place) - side if place > side // 2 else int(place)
        for place, side in zip((row, column), alike.shape, strict=True)
    )
    high, wide = edges.shape
    part = empty.edges[max(0, -down) : high - max(0, down), max(0, -right) : wide - max(0, right)]
    in_view = float((np.abs(part) ** 2).sum())
    likeness = float(alike[row, column]) / max(in_view, _LEAST_IN_VIEW * empty.whole, 1.0)
    return Registration(
        2 * (right + _beside(alike[row], int(column))),
        2 * (down + _beside(alike[:, column], int(row))),
        likeness,
    )


def _beside(alike: npt.NDArray[Any], place: int) -> float:
    """Return how far beside the place of the highest of likenesses the top of their curve is."""
    before, top, after = (float(alike[(place + k) % len(alike)]) for k in (-1, 0, 1))
    return (after - before) / max(2 * (2 * top - before - after), 1e-6)


def _few(picture: Grey) -> Edges:
    return np.ascontiguousarray(_edges(picture)[::2, ::2])


def _spectrum(edges: Edges) -> Spectrum:
    """Return the Fourier transform of edges (h, w), as real and imaginary parts (., ., 2).

    A border of zeros as wide and high: what is shifted out does not come in on the other side.
    """
    high, wide = edges.shape
    size = [cv2.getOptimalDFTSize(2 * side) for side in edges.shape]
    bordered = np.zeros((*size, 2), np.float32)
    bordered[:high, :wide] = edges.view(np.float32).reshape(high, wide, 2)
    return np.asarray(cv2.dft(bordered, nonzeroRows=high), np.float32)


def firmness(empty: Grey, shift: int) -> float:
    """Return how surely a shift by so many px would be noticed, 0-1: 0 where nothing shows one.

    The worse of the two directions.
    """
    edges = _edges(empty)
    whole = float((np.abs(edges) ** 2).sum())
    if whole < _CLEAR**2 * sum(empty.shape):
        return 0.0
    same = [
        float((np.conj(a) * b).real.sum()) / whole
        for a, b in (
            (edges[shift:], edges[:-shift]),
            (edges[:, shift:], edges[:, :-shift]),
        )
    ]
    return 1 - max(same)


def _edges(picture: Grey) -> Edges:
    """Return the slope at each pixel, right + i down, faint ones left out and clear ones cut."""
    smooth = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), _SMOOTH_PX)
    slope = cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8 + 1j * cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8
    length = np.abs(slope)
    slope[length < _FAINT] = 0
    return np.asarray(slope * np.minimum(1, _CLEAR / np.maximum(length, 1e-6)), np.complex64)
