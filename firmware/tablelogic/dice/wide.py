"""layer() for CPython: whole numbers as wide as a layer is, one product for all of its outputs.

Its import fails on MicroPython, whose memoryviews cannot be cast and whose heap is not for this;
classifier.py then takes another form. Same results: a sum of each output has 32 bits of its own.
"""

from .layers import ZERO

if -0:  # for mypy
    from tabletypes import Buffer, Ints, Writable

_LANE = memoryview(bytes(4)).cast("I").itemsize  # bytes
# Of a layer's weights: for each weight of the window that of every output.
_packed: "dict[tuple[bytes, int], list[int]]" = {}


def layer(data: "Buffer", shape: "Ints", weights: bytes, biases: "Ints", out: "Writable") -> None:
    """Convolve as layers.layer() does."""
    size, deep, kernel, step, count, shift = shape
    places = (size - kernel) // step + 1
    run = kernel * deep
    columns = _columns(weights, count)
    index = row = 0
    while index < len(out):
        for column in range(0, places * step, step):
            window = bytearray()
            i = (row * size + column) * deep
            for _ in range(kernel):
                window += data[i : i + run]
                i += size * deep
            wide = 0
            for grey, weight in zip(window, columns):
                if grey:
                    wide += grey * weight
            base = ZERO * sum(window)
            sums = memoryview(wide.to_bytes(_LANE * count, "little")).cast("I")
            for total, bias in zip(sums, biases):
                total = (total + bias - base) >> shift
                out[index] = 0 if total < 0 else 255 if total > 255 else total
                index += 1
        row += step


def _columns(weights: bytes, count: int) -> "list[int]":
    """Return a number for each place of the window: the weights of all outputs, one per lane."""
    if (weights, count) not in _packed:
        length = len(weights) // count
        _packed[weights, count] = [
            sum(weights[k * length + i] << 8 * _LANE * k for k in range(count))
            for i in range(length)
        ]
    return _packed[weights, count]
