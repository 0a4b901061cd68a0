"""Reads one frame of a commissioned tray, in steps.

Every region that differs from the empty tray has to be one flat die of the rig's size with one of
six faces on its top. Anything else is a reason not to read.
"""

from array import array

from tablewire import dice_tray as words
from tablewire.compat import const

from .forms import runs
from .lean import Lean
from .outline import Outline
from .regions import Regions
from .rig import Rig, RigError
from .sizes import COLUMNS, FACTS, MOST, ROWS
from .square import LEAN, SIZE, Square
from .top import GLARE, NO_FACE, OTHER_BODY, Top

if -0:  # for mypy
    from tabletypes import Buffer, Work

_DUST = const(3)  # percent of a die's top: a smaller region is dust or noise
_ONE = const(60)  # percent of a die's top from which a region may be a die
_GROUP = const(160)  # percent of a die's top from which a region is several dice that touch
_MOST_GROUP = const(650)
_MOST_THINGS = const(24)  # regions larger than dust
_SHARP = const(65)  # percent of the rig's sharpness: less is blurred
_REASONS = {
    NO_FACE: words.READING_UNREADABLE,
    GLARE: words.READING_GLARE,
    OTHER_BODY: words.READING_FOREIGN_OBJECT,
}


class Reader:
    """Reads frames; its buffers are made once."""

    def __init__(self, rig: Rig) -> None:
        self.values: "list[int]" = []  # faces of the dice read last, sorted
        self.first_row = 0  # px: where the highest thing of a die's size or more begins
        self._rig = rig
        self._facts = array("i", (rig.scale, COLUMNS, ROWS, rig.body, int(rig.is_light())))
        self._regions = Regions(MOST)
        self._outline = Outline(rig)
        self._top = Top(rig)
        self._lean = Lean(rig)
        self._cell = 16 * rig.scale  # sixteenths of a pixel
        self._top_area = rig.side * rig.side // (self._cell * self._cell)  # cells

    def steps(self, frame: "Buffer", dice: int) -> "Work[int]":
        """Return READING_READ, or why a frame is not read, in steps.

        dice: that the table has, 0 for any number. Raises RigError for a frame of another size.
        """
        self.values.clear()
        rig, regions = self._rig, self._regions
        if len(frame) != COLUMNS * ROWS * rig.scale * rig.scale:
            raise RigError("scale")
        self.first_row = ROWS * rig.scale
        count = runs(frame, rig.empty, (rig.spans, regions.runs), self._facts)
        yield
        if count > MOST:
            return words.READING_FOREIGN_OBJECT
        regions.join(count)
        yield
        things = [k for k in range(len(regions.area)) if self._share(k) > _DUST]
        if len(things) > _MOST_THINGS:
            return words.READING_FOREIGN_OBJECT
        for number in things:
            if _ONE <= self._share(number) < _MOST_GROUP:
                self.first_row = min(self.first_row, regions.top[number] * rig.scale)
        squares, others = [], []
        for number in things:
            reach = yield from self._outline.steps(frame, regions, number, False)
            yield
            square = Square(rig, reach)
            yield
            sharpness = square.sharpness(self._outline.sharpness)
            is_sharp = 100 * sharpness >= _SHARP * rig.sharpness
            if not is_sharp and (square.is_die() or _ONE <= self._share(number) < _GROUP):
                return words.READING_BLURRED
            if square.is_die():
                squares.append((number, square))
            else:
                others.append((number, square.other(reach)))
                yield
        reason = self._reason_of(others, [square for _, square in squares])
        for number, square in squares:
            if reason == words.READING_READ:
                reason = yield from self._read(frame, number, square)
        self.values.sort()
        if reason != words.READING_READ:
            return reason
        if not squares:
            return words.READING_NO_DICE
        return words.READING_READ if dice in (0, len(squares)) else words.READING_COUNT_WRONG

    def _reason_of(self, others: "list[tuple[int, int]]", dice: "list[Square]") -> int:
        """Return why regions that are no dice refuse a frame; those within a die are its pips.

        others: number and what the outline is of.
        """
        regions, half = self._regions, self._rig.side // 2
        worst = words.READING_READ
        for number, kind in others:
            x = (regions.left[number] + regions.right[number]) * self._cell // 2
            y = (regions.top[number] + regions.bottom[number]) * self._cell // 2
            if any(max(abs(x - die.x), abs(y - die.y)) < half for die in dice):
                continue
            share = self._share(number)
            if not self._is_inside(number):
                is_die = share < _GROUP
                reason = words.READING_CUT_OFF if is_die else words.READING_FOREIGN_OBJECT
            elif kind == SIZE:
                reason = words.READING_WRONG_SIZE
            elif _ONE <= share < _GROUP:
                is_lean = kind == LEAN
                reason = words.READING_COCKED if is_lean else words.READING_UNREADABLE
            elif _GROUP <= share < _MOST_GROUP:
                reason = words.READING_AMBIGUOUS
            else:
                reason = words.READING_FOREIGN_OBJECT
            if worst != words.READING_FOREIGN_OBJECT:
                worst = reason
        return worst

    def _share(self, number: int) -> int:
        """Return the area of a region, percent of a die's top."""
        return 100 * self._regions.area[number] // self._top_area

    def _is_inside(self, number: int) -> bool:
        """Whether a region has floor on all sides."""
        regions = self._regions
        for index in range(regions.count):
            if regions.label[index] == number:
                row, first, end, _ = regions.runs[FACTS * index : FACTS * (index + 1)]
                if not self._rig.is_inside(row, first, end):
                    return False
        return True

    def _read(self, frame: "Buffer", number: int, square: Square) -> "Work[int]":
        """Read one die; its face goes to values."""
        whole = yield from self._outline.steps(frame, self._regions, number, True)
        yield
        if square.leans(whole):
            return words.READING_COCKED
        top = self._top
        face = yield from top.steps(frame, square.x, square.y, square.turn)
        yield
        if face in _REASONS:
            return _REASONS[face]
        x, y = square.x + top.x, square.y + top.y
        yield from self._lean.steps(frame, x, y, square.turn, top.body)
        if self._lean.is_doubtful():
            return words.READING_COCKED
        self.values.append(face)
        return words.READING_READ
