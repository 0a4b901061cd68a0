"""Regions: runs that touch, corners included."""

from array import array

from .sizes import FACTS


class Regions:
    """The regions of a frame; buffers are made once. most: runs."""

    def __init__(self, most: int) -> None:
        self.runs = bytearray(FACTS * (most + 1))
        self.count = 0  # runs
        self.label = array("H", bytes(2 * (most + 1)))  # region of each run, counted from 0
        # Of each region, in cells. Right and bottom are the first beyond it.
        self.area: "list[int]" = []
        self.left: "list[int]" = []
        self.right: "list[int]" = []
        self.top: "list[int]" = []
        self.bottom: "list[int]" = []

    def join(self, count: int) -> None:
        """Find the regions of the first `count` runs, in the order of rows and columns."""
        label, runs = self.label, self.runs
        self.count = count
        above = start = 0  # first run of the row above; first of this row
        for index in range(count):
            label[index] = index
            row, first, end, _ = runs[FACTS * index : FACTS * (index + 1)]
            if index and runs[FACTS * (index - 1)] != row:
                above, start = start, index
            while above < start and (
                runs[FACTS * above] < row - 1 or runs[FACTS * above + 2] < first
            ):
                above += 1
            for k in range(above, start):
                if runs[FACTS * k + 1] > end:
                    break
                self._join(k, index)
            if index > start and runs[FACTS * index - 2] == first:
                self._join(index - 1, index)
        self._measure()

    def _root(self, index: int) -> int:
        label = self.label
        while label[index] != index:
            label[index] = label[label[index]]
            index = label[index]
        return index

    def _join(self, one: int, other: int) -> None:
        one, other = self._root(one), self._root(other)
        self.label[max(one, other)] = min(one, other)

    def _measure(self) -> None:
        label = self.label
        for each in (self.area, self.left, self.right, self.top, self.bottom):
            each.clear()
        for index in range(self.count):
            root = label[index]  # joined runs point back, so theirs is already a region
            row, first, end, _ = self.runs[FACTS * index : FACTS * (index + 1)]
            number = label[root]
            if root == index:
                number = len(self.area)
                self.area.append(0)
                self.left.append(first)
                self.right.append(end)
                self.top.append(row)
                self.bottom.append(row + 1)
            label[index] = number
            self.area[number] += end - first
            self.left[number] = min(self.left[number], first)
            self.right[number] = max(self.right[number], end)
            self.bottom[number] = row + 1
