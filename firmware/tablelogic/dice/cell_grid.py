"""A picture in cells of 4 x 4 px: their mean and range, and the level of the cloth under each."""

from array import array

from tablewire.compat import const

from .picture import Picture
from .stepwise import CELLS

if -0:  # for mypy
    from tabletypes import Work

SIDE = const(4)  # px


class Cells:
    """columns, rows; for each cell: contrast with the cloth, cloth (1 or 0), level of the cloth.

    noise: range of greys in the median cell. depths: how many cells of a rim lie that far from the
    border. lower: the frame is the lower part of a picture, so that its top is no border.
    """

    def __init__(self, width: int, height: int, lower: bool = False) -> None:
        self.lower = lower
        self.columns = width // SIDE
        self.rows = height // SIDE
        count = self.columns * self.rows
        self.mean = bytearray(count)
        self.contrast = bytearray(count)
        self.cloth = bytearray(count)
        self.level = bytearray(count)
        self.noise = 0
        self.stack = array("H", bytes(2 * count))
        self.depths = array("H", bytes(2 * max(self.columns, self.rows)))

    def cell(self, x: int, y: int) -> int:
        """Return the cell of a position in sixteenths of a pixel, -1 outside."""
        column = x >> 6
        row = y >> 6
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return row * self.columns + column
        return -1

    def aside(self, column: int, row: int) -> int:
        """Return how many cells lie between one and the border, but for the top."""
        return min(column, self.columns - 1 - column, self.rows - 1 - row)

    def near(self, cell: int) -> "tuple[int, int, int, int]":
        """Return the four neighbours of a cell; -1 for each outside."""
        column = cell % self.columns
        return (
            cell - 1 if column else -1,
            cell + 1 if column < self.columns - 1 else -1,
            cell - self.columns if cell >= self.columns else -1,
            cell + self.columns if cell + self.columns < len(self.cloth) else -1,
        )

    def measure(self, picture: Picture) -> "Work[None]":
        """Note mean and range of each cell (the range in contrast), in steps."""
        frame = picture.frame
        cell = 0
        for row in range(self.rows):
            start = row * SIDE * picture.width
            for _ in range(self.columns):
                total = 0
                low = 255
                high = 0
                i = start
                for _ in range(SIDE):
                    for k in range(i, i + SIDE):  # a slice would allocate
                        grey = frame[k]
                        total += grey
                        if grey < low:
                            low = grey
                        if grey > high:
                            high = grey
                    i += picture.width
                self.mean[cell] = total // (SIDE * SIDE)
                self.contrast[cell] = high - low
                start += SIDE
                cell += 1
                if not cell % CELLS:
                    yield

    def spread(self) -> "Work[None]":
        """Carry the level of the cloth, ring by ring, under what lies on it (0: not known).

        In steps.
        """
        count = len(self.cloth)
        for cell in range(count):
            self.level[cell] = max(1, self.mean[cell]) if self.cloth[cell] else 0
        waiting = 1
        while waiting:
            waiting = 0
            for cell in range(count):
                if not (cell + 1) % CELLS:
                    yield
                if not self.level[cell] and any(
                    other >= 0 and self.level[other] for other in self.near(cell)
                ):
                    self.stack[waiting] = cell
                    waiting += 1
            for i in range(waiting):
                cell = self.stack[i]
                levels = [self.level[k] for k in self.near(cell) if k >= 0 and self.level[k]]
                self.level[cell] = sum(levels) // len(levels)
            yield

    def stand_out(self) -> None:
        """Turn the ranges into contrasts with the cloth, once its level is known."""
        for cell in range(len(self.cloth)):
            step = abs(self.mean[cell] - self.level[cell])
            self.contrast[cell] = max(self.contrast[cell], step)
