"""Reads one picture of a tray.

A die is reported when its pips make one pattern, its outline is a square around that pattern, and
nothing else in the picture is left unexplained. Everything else is a reason.
"""

from tablewire.compat import const

from . import remains
from .bodies import bodies
from .candidates import judge, stand
from .cell_grid import Cells
from .choice import choose, is_cut
from .classifier import Classifier
from .cloth import find_cloth
from .consensus import believed
from .leaning import any_leans
from .pairs import faces
from .picture import Picture
from .placement import placed
from .read_codes import (
    AMBIGUOUS,
    COCKED,
    COUNT_WRONG,
    CUT_OFF,
    FOREIGN,
    NO_DICE,
    READ,
    TOO_DARK,
    UNREADABLE,
)
from .roundness import is_round
from .smoothing import NOISY, smooth
from .spots import RINGS, find_spots
from .stepwise import finish
from .strays import has_stray

if -0:  # for mypy
    from tabletypes import Buffer, Spot, Sure, Work

    from .face import Face

_DARKEST = const(6)  # greys in the brightest cell's mean: no light, or the lens covered


class Reader:
    """Reads frames of one size; its buffers are made once. width, height: px, 64 to 400.

    smooths: a noisy frame is smoothed, in a copy that is made when the first one comes. lower: see
    Cells. cells: of the frame read last; dice: (x, y, side, value, whether its pips were read) of
    those believed, also when it is refused; x, y: middle, in sixteenths of a pixel; side: px.
    """

    def __init__(self, width: int, height: int, smooths: bool = True, lower: bool = False) -> None:
        self.width = width
        self.height = height
        self.cells = Cells(width, height, lower)
        self.dice: "list[tuple[int, int, int, int, bool]]" = []
        self._classifier = Classifier()
        self._smooths = smooths
        self._smooth: "Sure[bytearray]" = b""  # room for a smoothed frame, once one was noisy

    def read(self, frame: "Buffer", expected: int = 0) -> "tuple[int, list[int]]":
        """Return (reason, values): READ and the sorted values, or why not and what passed.

        frame: width * height bytes of grey. expected: dice the table has, 0 when not known.
        """
        return finish(self.steps(frame, expected))

    def steps(self, frame: "Buffer", expected: int = 0) -> "Work[tuple[int, list[int]]]":
        """Do what read() does in steps; the frame must stay as it is meanwhile."""
        cells = self.cells
        self.dice = []
        picture = Picture(frame, self.width, self.height)
        yield from find_cloth(picture, cells)
        if max(cells.mean) < _DARKEST:
            return TOO_DARK, []
        if self._smooths and cells.noise >= NOISY and self._has_room():
            yield from smooth(picture, self._smooth)
            picture = Picture(self._smooth, self.width, self.height)
            yield from find_cloth(picture, cells)
        rings, put = yield from self.put_forward(picture)
        passed = None
        if put is not None:
            passed = yield from believed(picture, self._classifier, put)
        if passed is None:
            return UNREADABLE, []
        passed += yield from placed(picture, cells, self._classifier, put, passed)
        chosen, clash = choose(passed)
        self.dice = [(each.x, each.y, each.side, each.value, bool(each.pips)) for each in chosen]
        yield
        reason = yield from self._reason(picture, rings, chosen)
        if clash and reason in (READ, UNREADABLE):
            reason = AMBIGUOUS
        if reason == READ and expected and len(chosen) != expected:
            reason = COUNT_WRONG
        return reason, sorted(face.value for face in chosen)

    def _has_room(self) -> bool:
        """Return whether a noisy frame can be smoothed; else it is read as it is."""
        if not self._smooth:
            try:
                self._smooth = bytearray(self.width * self.height)
            except MemoryError:
                return False
        return True

    def put_forward(
        self, picture: Picture
    ) -> "Work[tuple[Sure[list[list[Spot]]], Sure[list[Face]]]]":
        """Return the spots, and every face that may be believed and every body; None: too many.

        In steps.
        """
        cells = self.cells
        rings = yield from find_spots(picture, cells)
        if rings is None:
            return None, None
        put = []
        for k, (ring, _) in enumerate(RINGS):
            candidates = yield from faces(picture, rings[k], ring)
            if candidates is None:
                return None, None
            near = rings[: k + 3]
            for face in candidates:
                yield
                if judge(picture, cells, face, near):
                    put.append(face)
        for place in (yield from bodies(picture, cells)):
            put.append(stand(picture, cells, place))
            yield
        return rings, put

    def _reason(
        self, picture: Picture, rings: "list[list[Spot]]", chosen: "list[Face]"
    ) -> "Work[int]":
        reason = yield from remains.find(self.cells, chosen)
        if reason != READ:
            return reason
        if not chosen:
            return NO_DICE
        if (yield from has_stray(picture, self.cells, rings, chosen)):
            return UNREADABLE
        if any(is_round(face) for face in chosen):
            return FOREIGN
        if (yield from any_leans(chosen, (self.width, self.height))):
            return COCKED
        if any(is_cut(face, (self.width, self.height)) for face in chosen):
            return CUT_OFF
        return READ


def reader_of(width: int, height: int, lower: bool = False) -> Reader:
    """Return what reads frames of that size, 160 or 320 px wide, at a table. lower: see Cells.

    A large frame is read as it is: its copy would take 75 KiB, and a die is so large in it that
    the classifier takes the mean of four greys anyway.
    """
    return Reader(width, height, width == 160, lower)
