# ruff: noqa: F821
# mypy: ignore-errors
# The types of native code have no stubs, and its annotations are code.
"""runs() in native code, for ports with the viper emitter; same results.

Its import fails on CPython and on ports without it (NameError, SyntaxError); reader.py then takes
the plain form.
"""

from array import array

from .runs import LIGHT, MOST, SHADE

if -0:  # for mypy
    from tabletypes import Buffer, IntArray


def runs(
    frame: "Buffer", empty: "Buffer", spans: "Buffer", rig: "IntArray", out: "IntArray"
) -> int:
    """Write each run as FACTS numbers; return how many there are, MOST + 1 if there are more."""
    return _runs(frame, empty, (spans, out), array("i", tuple(rig) + (MOST, SHADE, LIGHT)))


@micropython.viper
def _runs(frame, tray, lists, facts) -> int:
    grey_of = ptr8(frame)
    empty = ptr8(tray)
    spans = ptr8(lists[0])
    out = ptr16(lists[1])
    fact = ptr32(facts)
    scale = fact[0]
    columns = fact[1]
    body = fact[3]
    light = fact[4]
    most = fact[5]
    width = columns * scale
    count = 0
    row = 0
    while row < fact[2]:
        kind = 0
        column = int(spans[2 * row])
        end = int(spans[2 * row + 1])
        while column < end:
            i = row * scale * width + column * scale
            grey = int(grey_of[i])
            if scale == 2:
                grey = (grey + grey_of[i + 1] + grey_of[i + width] + grey_of[i + width + 1]) >> 2
            base = int(empty[row * columns + column])
            now = 0
            if light and 2 * grey > base + body:
                now = 1
            elif not light and 3 * grey < base + 2 * body:
                now = 1
            elif grey > base + fact[7] or (light and 100 * grey < fact[6] * base):
                now = 2
            if now != kind:
                if kind:
                    out[4 * count - 2] = column
                kind = now
                if kind:
                    if count == most:
                        return most + 1
                    out[4 * count] = row
                    out[4 * count + 1] = column
                    out[4 * count + 3] = kind
                    count += 1
            column += 1
        if kind:
            out[4 * count - 2] = end
        row += 1
    return count
