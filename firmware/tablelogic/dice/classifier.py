"""A second reader of a die: a small network over a patch, trained on rendered dice.

It shares no step with the pips and patterns of face.py, so that two readings that agree are two.
Its weights are classifier_weights.py, made by hil_tests/dice_training.
"""

from tablewire.compat import const

from .classifier_weights import BIASES, SHAPES, SHIFTS, WEIGHTS
from .layers import ZERO, pool
from .patch import SIZE
from .patch import steps as cut
from .picture import Picture
from .stepwise import finish

if -0:  # for mypy
    from tabletypes import Buffer, Work

    from .face import Face

try:
    from .fast_scan import layer
except (ImportError, NameError, SyntaxError, ValueError):  # no native code here
    try:
        from .wide import layer
    except (ImportError, AttributeError):  # MicroPython
        from .layers import layer

CLASSES = const(7)  # nothing that can be read, and the six faces
_PRODUCTS = const(30000)  # of a weight and a grey, in one step
# How a die is looked at: direction (32nds of a turn), steps right and down (tenths of its side).
LOOKS = const(4)
_LOOKS = (
    (0, 0, 0),
    (4, 1, 1),
    (9, -1, 1),
    (13, 0, -1),
    (18, 1, 0),
    (22, -1, -1),
    (27, 1, -1),
    (31, -1, 0),
)


class Classifier:
    """Looks at one place of a picture at a time; its buffers are made once."""

    def __init__(self) -> None:
        self._patch = bytearray(SIZE * SIZE)
        sizes = [(size - kernel) // step + 1 for size, _, kernel, step, _ in SHAPES]
        most = max(size * size * shape[4] for size, shape in zip(sizes, SHAPES))
        self._buffers = (bytearray(most), bytearray(most))
        self.scores = [0] * CLASSES

    def look(self, picture: Picture, face: "Face", looks: int) -> "list[int]":
        """Return the mean score of each class, 16 more for a factor e in likelihood.

        face: a Face with its side. looks: how often it is looked at.
        """
        totals = finish(self.steps(picture, face, 0, looks))
        return [total // looks for total in totals]

    def steps(self, picture: Picture, face: "Face", first: int, looks: int) -> "Work[list[int]]":
        """Return the sums of the scores of so many looks, from that number on, in steps."""
        totals = [0] * CLASSES
        step = face.side * 16 // 20
        for k in range(first, first + looks):
            way, right, down = _LOOKS[k % len(_LOOKS)]
            place = (face.x + right * step, face.y + down * step, 16 * face.side, way)
            yield from cut(picture, place, self._patch)
            scores = yield from self._classify(self._patch)
            for value, score in enumerate(scores):
                totals[value] += score
            yield
        return totals

    def _classify(self, patch: bytearray) -> "Work[list[int]]":
        data = patch
        out, spare = self._buffers
        for k, shape in enumerate(SHAPES[:-1]):
            size, _, kernel, step, count = shape
            yield from _layer(data, k, out)
            size = (size - kernel) // step + 1
            if SHAPES[k + 1][0] < size:
                pool(out, size, count, spare)
                out, spare = spare, out
            data = out
            out, spare = spare, out
        return self._scores(data)

    def _scores(self, data: "Buffer") -> "list[int]":
        """The last layer: one sum for each class, in sixteenths of a natural logarithm."""
        length = len(WEIGHTS[-1]) // CLASSES
        base = ZERO * sum(data[:length])
        for k in range(CLASSES):
            total = BIASES[-1][k] - base
            first = k * length
            for i in range(length):
                total += data[i] * WEIGHTS[-1][first + i]
            self.scores[k] = total >> SHIFTS[-1]
        return self.scores


def _layer(data: "Buffer", k: int, out: bytearray) -> "Work[None]":
    """Work out layer k, some rows in a step."""
    size, deep, kernel, step, count = SHAPES[k]
    places = (size - kernel) // step + 1
    rows = max(1, _PRODUCTS // (places * kernel * kernel * deep * count))
    run = places * count
    shape = (size, deep, kernel, step, count, SHIFTS[k])
    for row in range(0, places, rows):
        window = memoryview(data)[row * step * size * deep :]
        part = memoryview(out)[row * run : min(row + rows, places) * run]
        layer(window, shape, WEIGHTS[k], BIASES[k], part)
        yield
