# ruff: noqa: F821
# mypy: ignore-errors
# The types of native code have no stubs, and its annotations are code.
"""The loops of loops.py in native code, for ports with the viper emitter; same results.

Its import fails on CPython and on ports without it (NameError, SyntaxError); forms.py then takes
the plain ones.
"""

from array import array

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer, IntArray

    Lines = tuple[bytearray, bytearray, IntArray]

# As in loops.py, which a board with native code does not load.
_MOST = const(1200)
_COLUMNS = const(160)
_ROWS = const(120)
_SHADE = const(45)
_LIGHT = const(24)
_WAYS = const(16)
_GRID = const(24)
_COUNT = const(9)
_INSIDE = const(2)


def runs(
    frame: "Buffer", empty: "Buffer", spans: "Buffer", rig: "IntArray", out: bytearray
) -> int:
    """Write each run as FACTS numbers; return how many there are, MOST + 1 if there are more."""
    return _runs(frame, empty, (spans, out), array("i", tuple(rig)))


@micropython.viper
def _runs(frame, tray, lists, facts) -> int:
    grey_of = ptr8(frame)
    empty = ptr8(tray)
    spans = ptr8(lists[0])
    out = ptr8(lists[1])
    fact = ptr32(facts)
    scale = fact[0]
    columns = fact[1]
    body = fact[3]
    light = fact[4]
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
            elif grey > base + _LIGHT or (light and 100 * grey < _SHADE * base):
                now = 2
            if now != kind:
                if kind:
                    out[4 * count - 2] = column
                kind = now
                if kind:
                    if count == _MOST:
                        return _MOST + 1
                    out[4 * count] = row
                    out[4 * count + 1] = column
                    out[4 * count + 3] = kind
                    count += 1
            column += 1
        if kind:
            out[4 * count - 2] = end
        row += 1
    return count


def ends(frame: "Buffer", empty: "Buffer", lines: "Lines", facts: "IntArray") -> None:
    """See loops.ends."""
    _ends(frame, empty, tuple(lines) + (len(lines[0]),), facts)


@micropython.viper
def _ends(frame, tray, lines, facts):
    grey_of = ptr8(frame)
    empty = ptr8(tray)
    firsts = ptr8(lines[0])
    lasts = ptr8(lines[1])
    out = ptr32(lines[2])
    count = int(lines[3])
    fact = ptr32(facts)
    scale = fact[0]
    is_row = fact[5]
    shift = scale - 1
    width = _COLUMNS * scale
    most = width
    if not is_row:
        most = _ROWS * scale
    line = 0
    while line < count:
        end = line * scale
        if int(lasts[line]) >= int(firsts[line]):
            end += scale
        k = line * scale
        while k < end:
            way = -1
            while way < 2:
                place = int(firsts[line]) * scale
                if way > 0:
                    place = (int(lasts[line]) + 1) * scale - 1
                place -= _INSIDE * way
                inner = 0
                left = 2 * _INSIDE + scale + 1
                while left and 0 <= place and place < most:
                    x = place
                    y = k
                    if not is_row:
                        x = k
                        y = place
                    base = int(empty[(y >> shift) * _COLUMNS + (x >> shift)])
                    outer = fact[2] * int(grey_of[y * width + x]) - fact[3] * base - fact[4]
                    if outer <= 0 and inner > 0:
                        out[_WAYS] += inner - outer
                        step = fact[1] - base
                        if step < 0:
                            step = 0 - step
                        out[_WAYS + 1] += step
                        x = 16 * (place - way) + 8 + (way * 16 * inner) // (inner - outer)
                        y = 16 * k + 8
                        if not is_row:
                            y = x
                            x = 16 * k + 8
                        j = 0
                        while j < _WAYS:
                            far = (x * fact[6 + j] + y * fact[22 + j]) >> 8
                            if far > out[j]:
                                out[j] = far
                            j += 1
                        left = 1
                    inner = outer
                    place += way
                    left -= 1
                way += 2
            k += 1
        line += 1


@micropython.viper
def sample(frame, greys, facts):
    """See loops.sample."""
    grey_of = ptr8(frame)
    out = ptr8(greys)
    fact = ptr32(facts)
    scale = fact[0]
    width = _COLUMNS * scale
    most_x = (width << 4) - 32
    most_y = ((_ROWS * scale) << 4) - 32
    right = fact[3]
    down = fact[4]
    k = 0
    v = 1 - _GRID
    while v < _GRID:
        u = 1 - _GRID
        while u < _GRID:
            x = fact[1] + (u * right - v * down + 256 * _GRID) // (512 * _GRID) - 8
            y = fact[2] + (u * down + v * right + 256 * _GRID) // (512 * _GRID) - 8
            if x < 0:
                x = 0
            elif x > most_x:
                x = most_x
            if y < 0:
                y = 0
            elif y > most_y:
                y = most_y
            i = (y >> 4) * width + (x >> 4)
            x &= 15
            y &= 15
            grey = int(grey_of[i])
            above = (grey << 4) + (int(grey_of[i + 1]) - grey) * x
            i += width
            grey = int(grey_of[i])
            below = (grey << 4) + (int(grey_of[i + 1]) - grey) * x
            out[k] = ((above << 4) + (below - above) * y) >> 8
            k += 1
            u += 2
        v += 2


@micropython.viper
def rises(frame, tray, reach, facts) -> int:
    """See loops.rises."""
    grey_of = ptr8(frame)
    empty = ptr8(tray)
    out = ptr32(reach)
    fact = ptr32(facts)
    scale = fact[0]
    body = fact[1]
    least = fact[2]
    c = fact[5]
    s = fact[6]
    far = fact[7]
    shift = scale + 3
    width = _COLUMNS * scale
    most_x = (width << 4) - 32
    most_y = ((_ROWS * scale) << 4) - 32
    whole = 0
    k = 0
    while k < _COUNT:
        right = 256 * fact[3] + far * c - fact[9 + k] * s
        down = 256 * fact[4] + far * s + fact[9 + k] * c
        sides = 0
        base = 0
        outside = 0
        left = fact[8]
        while left >= 0:
            x = right >> 8
            y = down >> 8
            i = x >> shift
            if i < 0:
                i = 0
            elif i >= _COLUMNS:
                i = _COLUMNS - 1
            j = y >> shift
            if j < 0:
                j = 0
            elif j >= _ROWS:
                j = _ROWS - 1
            floor = int(empty[j * _COLUMNS + i])
            if not floor:
                floor = 1
            x -= 8
            y -= 8
            if x < 0:
                x = 0
            elif x > most_x:
                x = most_x
            if y < 0:
                y = 0
            elif y > most_y:
                y = most_y
            i = (y >> 4) * width + (x >> 4)
            x &= 15
            y &= 15
            grey = int(grey_of[i])
            above = (grey << 4) + (int(grey_of[i + 1]) - grey) * x
            i += width
            grey = int(grey_of[i])
            below = (grey << 4) + (int(grey_of[i + 1]) - grey) * x
            grey = ((above << 4) + (below - above) * y) >> 8
            if not base:
                base = floor
                outside = base * _SHADE // 100
                if grey > outside:
                    outside = grey
                if outside > base + _LIGHT:
                    outside = base + _LIGHT
                whole += outside
            else:
                floor = floor * outside // base
                step = body - floor
                if not step:
                    step = 1
                rise = (grey - floor) * 128 // step - least
                if rise > 0:
                    if rise > 128 - least:
                        rise = 128 - least
                    sides += 128 * rise // (128 - least)
            right -= c << 4
            down -= s << 4
            left -= 1
        out[k] = far - 16 * fact[8] - 8 + (sides >> 3)
        k += 1
    return whole
