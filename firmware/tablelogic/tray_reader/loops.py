# ruff: noqa: F821
# mypy: ignore-errors
# The types of native code have no stubs, and its annotations are code.
"""The loops over pixels of the reader, in native code; forms.py runs them where there is none.

A cell is the mean of its pixels. TOP: nearer to the top of a die than to the empty tray. OTHER:
anything else that is no shadow and no change of light: a side, a pip, or an object. Greys between
pixels are linear; pixel k has its middle at 16 * k + 8 sixteenths of a pixel. Facts are in an
array of int.
"""

from tablewire.compat import const

# As in sizes.py: native code takes a name of another module for an object.
_MOST = const(1200)
_COLUMNS = const(160)
_ROWS = const(120)
_SHADE = const(45)
_LIGHT = const(24)
_WAYS = const(16)
_GRID = const(24)
_COUNT = const(6)
_INSIDE = const(2)  # px: where the search for an end begins


@micropython.viper
def runs(frame, tray, lists, facts) -> int:
    """Write each run as FACTS numbers; return how many there are, MOST + 1 if there are more.

    lists: spans of the floor, and where runs are written. facts: scale, columns, rows, grey of a
    die's top, and 1 if the dice are the lighter ones.
    """
    grey_at = ptr8(frame)
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
    for row in range(fact[2]):
        kind = 0
        column = int(spans[2 * row])
        end = int(spans[2 * row + 1])
        cell = row * columns + column
        i = row * scale * width + column * scale
        while column < end:
            grey = int(grey_at[i])
            if scale == 2:
                grey = (grey + grey_at[i + 1] + grey_at[i + width] + grey_at[i + width + 1]) >> 2
            base = int(empty[cell])
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
            cell += 1
            i += scale
        if kind:
            out[4 * count - 2] = end
    return count


@micropython.viper
def ends(frame, tray, lines, facts):
    """Measure both ends of each row or column of cells, where the grey crosses a level.

    lines: first and last cells of each line, 255 and 0 for none; and the outline's numbers, to
    which is added: reach, sixteenths of a pixel, in each direction, and at FALL and STEPS the step
    within a pixel and that from tray to body. facts: scale, body, factors of a pixel's grey and of
    the tray's and an offset, which say how far a pixel is on the die's side of the level; 1 for
    rows, 0 for columns; then 256 times the cosines and sines of the directions.
    """
    grey_at = ptr8(frame)
    empty = ptr8(tray)
    firsts = ptr8(lines[0])
    lasts = ptr8(lines[1])
    out = ptr32(lines[2])
    fact = ptr32(facts)
    scale = fact[0]
    is_row = fact[5]
    shift = scale - 1
    width = _COLUMNS * scale
    most = width
    if not is_row:
        most = _ROWS * scale
    for k in range(int(len(lines[0])) * scale):
        line = k >> shift
        if int(lasts[line]) < int(firsts[line]):
            continue
        for way in range(-1, 2, 2):
            place = int(firsts[line]) * scale
            if way > 0:
                place = (int(lasts[line]) + 1) * scale - 1
            place -= _INSIDE * way
            inner = 0
            for _ in range(2 * _INSIDE + scale + 1):
                if place < 0 or place >= most:
                    break
                x = place
                y = k
                if not is_row:
                    x = k
                    y = place
                base = int(empty[(y >> shift) * _COLUMNS + (x >> shift)])
                outer = fact[2] * int(grey_at[y * width + x]) - fact[3] * base - fact[4]
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
                    for j in range(_WAYS):
                        far = (x * fact[6 + j] + y * fact[22 + j]) >> 8
                        if far > out[j]:
                            out[j] = far
                    break
                inner = outer
                place += way


@micropython.viper
def sample(frame, greys, facts):
    """Sample a top on GRID x GRID places.

    facts: scale; x and y of the middle, sixteenths of a pixel; 256 times the way along an edge to
    the right and down.
    """
    out = ptr8(greys)
    fact = ptr32(facts)
    right = fact[3]
    down = fact[4]
    k = 0
    for v in range(1 - _GRID, _GRID, 2):
        for u in range(1 - _GRID, _GRID, 2):
            x = fact[1] + (u * right - v * down + 256 * _GRID) // (512 * _GRID)
            y = fact[2] + (u * down + v * right + 256 * _GRID) // (512 * _GRID)
            out[k] = int(grey_of(frame, fact[0], x, y))
            k += 1


@micropython.viper
def rises(frame, tray, reach, facts) -> int:
    """Write how far a die reaches in COUNT rows; return the sum of the tray's greys beside it.

    facts: scale; grey of the die; least rise, of 128; x and y of the middle; cosine and sine of
    the way, 256ths; how far out a row begins; its pixels; then how far each row is aside. Lengths
    are sixteenths of a pixel.
    """
    out = ptr32(reach)
    fact = ptr32(facts)
    scale = fact[0]
    c = fact[5]
    s = fact[6]
    far = fact[7]
    whole = 0
    for k in range(_COUNT):
        x = 256 * fact[3] + far * c - fact[9 + k] * s
        y = 256 * fact[4] + far * s + fact[9 + k] * c
        base = int(empty_grey_of(tray, scale, x >> 8, y >> 8))
        outside = int(outside_of(grey_of(frame, scale, x >> 8, y >> 8), base))
        whole += outside
        sides = 0
        for _ in range(fact[8]):
            x -= c << 4
            y -= s << 4
            floor = int(empty_grey_of(tray, scale, x >> 8, y >> 8)) * outside // base
            sides += int(rise_of(grey_of(frame, scale, x >> 8, y >> 8), floor, fact[1], fact[2]))
        out[k] = far - 16 * fact[8] - 8 + (sides >> 3)
    return whole


@micropython.viper
def grey_of(frame, scale: int, x: int, y: int) -> int:
    """Return the grey of a frame at a place, sixteenths of a pixel, between four pixels."""
    grey_at = ptr8(frame)
    width = _COLUMNS * scale
    x -= 8
    y -= 8
    if x < 0:
        x = 0
    elif x > (width << 4) - 32:
        x = (width << 4) - 32
    if y < 0:
        y = 0
    elif y > (_ROWS * scale << 4) - 32:
        y = (_ROWS * scale << 4) - 32
    k = (y >> 4) * width + (x >> 4)
    x &= 15
    y &= 15
    above = (int(grey_at[k]) << 4) + (int(grey_at[k + 1]) - int(grey_at[k])) * x
    k += width
    below = (int(grey_at[k]) << 4) + (int(grey_at[k + 1]) - int(grey_at[k])) * x
    return ((above << 4) + (below - above) * y) >> 8


@micropython.viper
def empty_grey_of(tray, scale: int, x: int, y: int) -> int:
    """Return the grey of the empty tray at a place, sixteenths of a pixel; 1 at least."""
    empty = ptr8(tray)
    x >>= scale + 3
    y >>= scale + 3
    if x < 0:
        x = 0
    elif x >= _COLUMNS:
        x = _COLUMNS - 1
    if y < 0:
        y = 0
    elif y >= _ROWS:
        y = _ROWS - 1
    grey = int(empty[y * _COLUMNS + x])
    if not grey:
        grey = 1
    return grey


@micropython.viper
def outside_of(grey: int, base: int) -> int:
    """Return the grey of the tray beside a die, which may be in its shadow. base: when empty."""
    return int(min(max(grey, base * _SHADE // 100), base + _LIGHT))


@micropython.viper
def rise_of(grey: int, floor: int, body: int, least: int) -> int:
    """Return how much of the step from tray to body a grey has, of 128; least: counts as none."""
    step = body - floor
    if not step:
        step = 1
    rise = 128 * (grey - floor) // step - least
    if rise < 0:
        return 0
    if rise > 128 - least:
        return 128
    return 128 * rise // (128 - least)
