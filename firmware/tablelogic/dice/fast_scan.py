# ruff: noqa: F821
# mypy: ignore-errors
"""scan() in native code, for ports whose compiler has the viper emitter; same results.

Its import fails on CPython and on ports without it (NameError, SyntaxError); spots.py then takes
the plain form. Cost and heap are measured by host_tools/bench.
"""

from .scan import CORNER


def scan(frame, size, ring, found):
    """Write (row, column, height) of each pixel that stands out; return how many."""
    width, height = size
    radius, step, least = ring
    corner = CORNER[radius]
    return _scan(frame, found, (width, height, radius, corner, step, least, len(found) // 3))


@micropython.viper
def _scan(frame, found, sizes) -> int:
    grey = ptr8(frame)
    out = ptr16(found)
    width = int(sizes[0])
    height = int(sizes[1])
    radius = int(sizes[2])
    corner = int(sizes[3])
    step = int(sizes[4])
    least = int(sizes[5])
    room = int(sizes[6])
    down = radius * width
    cornerdown = corner * width
    count = 0
    row = radius + 1
    while row < height - radius - 1:
        i = row * width + radius + 1
        end = (row + 1) * width - radius - 1
        while i < end:
            here = grey[i]
            rise = here - grey[i - radius]
            sign = 1 if rise > 0 else -1
            rise *= sign
            if rise > least:
                for k in range(7):
                    if k == 0:
                        j = i + radius
                    elif k == 1:
                        j = i - down
                    elif k == 2:
                        j = i + down
                    elif k == 3:
                        j = i - cornerdown - corner
                    elif k == 4:
                        j = i - cornerdown + corner
                    elif k == 5:
                        j = i + cornerdown - corner
                    else:
                        j = i + cornerdown + corner
                    other = (here - grey[j]) * sign
                    if other < rise:
                        rise = other
                        if rise <= least:
                            break
                if rise > least:
                    if count == room:
                        return count
                    out[count * 3] = row
                    out[count * 3 + 1] = i - row * width
                    out[count * 3 + 2] = rise * sign
                    count += 1
            i += step
        row += step
    return count
