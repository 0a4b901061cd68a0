"""Runs of cells that differ from the empty tray: the first pass over a frame.

A cell is the mean of its pixels. TOP: nearer to the top of a die than to the empty tray. OTHER:
anything else that is no shadow and no change of light: a side, a pip, or an object.
"""

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer, IntArray

MOST = const(1200)
FACTS = const(4)  # numbers of a run: row, first cell, cell after the last, kind
TOP = const(1)
OTHER = const(2)
SHADE = const(45)  # percent of the empty tray's grey: the darkest shadow
LIGHT = const(24)  # greys by which light may brighten the tray


def runs(
    frame: "Buffer", empty: "Buffer", spans: "Buffer", rig: "IntArray", out: "IntArray"
) -> int:
    """Write each run as FACTS numbers; return how many there are, MOST + 1 if there are more.

    rig: scale, columns, rows, grey of a die's top, and 1 if the dice are the lighter ones.
    """
    scale, columns, rows, body, light = rig
    width = columns * scale
    count = 0
    for row in range(rows):
        kind = 0
        for column in range(spans[2 * row], spans[2 * row + 1]):
            i = row * scale * width + column * scale
            grey = frame[i]
            if scale == 2:
                grey = (grey + frame[i + 1] + frame[i + width] + frame[i + width + 1]) >> 2
            base = empty[row * columns + column]
            now = 0
            if light and 2 * grey > base + body or not light and 3 * grey < base + 2 * body:
                now = TOP
            elif grey > base + LIGHT or light and 100 * grey < SHADE * base:
                now = OTHER
            if now != kind:
                if kind:
                    out[FACTS * count - 2] = column
                kind = now
                if kind:
                    if count == MOST:
                        return MOST + 1
                    out[FACTS * count] = row
                    out[FACTS * count + 1] = column
                    out[FACTS * count + 3] = kind
                    count += 1
        if kind:
            out[FACTS * count - 2] = spans[2 * row + 1]
    return count
