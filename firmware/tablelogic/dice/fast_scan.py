# ruff: noqa: F821
# mypy: ignore-errors
# The types of native code have no stubs, and its annotations are code.
"""scan() and layer() in native code, for ports with the viper emitter; same results.

Its import fails on CPython and on ports without it (NameError, SyntaxError); spots.py and
classifier.py then take the plain forms. Cost and heap are measured by host_tools/bench.
"""

from array import array

from .scan import CORNER

if -0:  # for mypy
    from tabletypes import Buffer, IntArray, Ints, Writable


def scan(frame: "Buffer", size: "tuple[int, int]", ring: "Ints", pixels: "IntArray") -> int:
    """Write (row, column, height) of each pixel that stands out; return how many."""
    width, height = size
    radius, step, least = ring
    down = radius * width
    corner = CORNER[radius]
    cornerdown = corner * width
    places = array("i", (radius, -down, down, -cornerdown - corner, corner - cornerdown))
    places.extend(array("i", (cornerdown - corner, cornerdown + corner)))
    sizes = array("i", (width, height, radius, step, least, len(pixels) // 3))
    return _scan(frame, pixels, places, sizes)


@micropython.viper
def _scan(frame, pixels, places, sizes) -> int:
    grey = ptr8(frame)
    out = ptr16(pixels)
    place = ptr32(places)
    fact = ptr32(sizes)
    width = fact[0]
    radius = fact[2]
    least = fact[4]
    count = 0
    row = radius + 1
    while row < fact[1] - radius - 1:
        i = row * width + radius + 1
        end = (row + 1) * width - radius - 1
        while i < end:
            here = grey[i]
            rise = here - grey[i - radius]
            sign = 1 if rise > 0 else -1
            rise *= sign
            k = 0
            while rise > least and k < 7:
                other = (here - grey[i + place[k]]) * sign
                if other < rise:
                    rise = other
                k += 1
            if rise > least:
                if count == fact[5]:
                    return count
                out[count * 3] = row
                out[count * 3 + 1] = i - row * width
                out[count * 3 + 2] = rise * sign
                count += 1
            i += fact[3]
        row += fact[3]
    return count


def layer(data: "Buffer", shape: "Ints", weights: bytes, biases: "Ints", out: "Writable") -> None:
    """Convolve as layers.layer() does."""
    _layer(data, out, weights, array("i", shape + (len(out),) + biases))


@micropython.viper
def _layer(data, written, weights, numbers):
    grey = ptr8(data)
    out = ptr8(written)
    weight = ptr8(weights)
    fact = ptr32(numbers)
    line = fact[0] * fact[1]
    run = fact[2] * fact[1]
    step = fact[3]
    count = fact[4]
    end = (fact[0] - fact[2]) // step * step
    most = fact[6]
    index = 0
    row = 0
    while index < most:
        column = 0
        while column <= end:
            w = 0
            k = 0
            while k < count:
                total = fact[7 + k]
                j = 0
                while j < fact[2]:
                    i = (row + j) * line + column * fact[1]
                    last = i + run
                    while i < last:
                        total += grey[i] * (weight[w] - 128)
                        i += 1
                        w += 1
                    j += 1
                total >>= fact[5]
                if total < 0:
                    total = 0
                if total > 255:
                    total = 255
                out[index] = total
                index += 1
                k += 1
            column += step
        row += step
