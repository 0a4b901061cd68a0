"""A noisy picture made smooth: each grey with those around it in the weights 1-2-1, both ways.

Noise of a small sensor looks to the classifier like marble; a pip is wider than what it blurs.
"""

from tablewire.compat import const

from .picture import Picture

if -0:  # for mypy
    from tabletypes import Work

# Range of greys in the median cell from which on it pays: noise of a deviation of 2.3 greys. Less
# of it hides no pip, and the picture loses by the blur.
NOISY = const(8)
_SOME = const(640)  # pixels smoothed in one step


def smooth(picture: Picture, out: bytearray) -> "Work[None]":
    """Write the smoothed picture into out, width * height bytes, in steps."""
    frame = picture.frame
    width = picture.width
    rows = max(1, _SOME // width)
    for row in range(picture.height):
        here = row * width
        above = here - width if row else here
        below = here + width if row + 1 < picture.height else here
        before = column = frame[above] + 2 * frame[here] + frame[below]
        for x in range(1, width):
            after = frame[above + x] + 2 * frame[here + x] + frame[below + x]
            out[here + x - 1] = (before + 2 * column + after + 8) >> 4
            before = column
            column = after
        out[here + width - 1] = (before + 3 * column + 8) >> 4
        if not (row + 1) % rows:
            yield
