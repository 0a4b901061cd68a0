"""What the loops over pixels of the dice reader find, written apart from them."""

from tablelogic.tray_reader.sizes import (
    COLUMNS,
    COUNT,
    FACTS,
    FALL,
    GRID,
    LIGHT,
    MOST,
    OTHER,
    ROWS,
    SHADE,
    STEPS,
    TOP,
    WAYS,
)

_INSIDE = 2  # px: where the search for an end begins


def runs(frame, empty, lists, rig):
    spans, out = lists
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


def ends(frame, empty, lines, facts):
    firsts, lasts, out = lines
    scale, body, per_grey, per_base, offset, is_row = facts[:6]
    width = COLUMNS * scale
    most = width if is_row else ROWS * scale
    for line in range(len(firsts)):
        if lasts[line] < firsts[line]:
            continue
        for k in range(line * scale, (line + 1) * scale):
            for way in (-1, 1):
                place = (firsts[line] if way < 0 else lasts[line] + 1) * scale - (way > 0)
                place -= _INSIDE * way
                inner = 0
                for _ in range(2 * _INSIDE + scale + 1):
                    if not 0 <= place < most:
                        break
                    x, y = (place, k) if is_row else (k, place)
                    base = empty[y // scale * COLUMNS + x // scale]
                    outer = per_grey * frame[y * width + x] - per_base * base - offset
                    if outer <= 0 < inner:
                        out[FALL] += inner - outer
                        out[STEPS] += abs(body - base)
                        end = 16 * (place - way) + 8 + way * 16 * inner // (inner - outer)
                        x, y = (end, 16 * k + 8) if is_row else (16 * k + 8, end)
                        for j in range(WAYS):
                            out[j] = max(out[j], (x * facts[6 + j] + y * facts[22 + j]) >> 8)
                        break
                    inner = outer
                    place += way


def sample(frame, grey, facts):
    scale, x, y, right, down = facts
    for j in range(GRID):
        v = 2 * j - GRID + 1
        for i in range(GRID):
            u = 2 * i - GRID + 1
            px = x + (u * right - v * down + 256 * GRID) // (512 * GRID)
            py = y + (u * down + v * right + 256 * GRID) // (512 * GRID)
            grey[j * GRID + i] = grey_of(frame, scale, px, py)


def rises(frame, empty, out, facts):
    scale, body, least, x, y, c, s, far, count = facts[:9]
    x, y = 256 * x + far * c, 256 * y + far * s
    whole = 0
    for k in range(COUNT):
        right, down = x - facts[9 + k] * s, y + facts[9 + k] * c
        base = empty_grey_of(empty, scale, right >> 8, down >> 8)
        outside = outside_of(grey_of(frame, scale, right >> 8, down >> 8), base)
        whole += outside
        sides = 0
        for _ in range(count):
            right -= c << 4
            down -= s << 4
            floor = empty_grey_of(empty, scale, right >> 8, down >> 8) * outside // base
            grey = grey_of(frame, scale, right >> 8, down >> 8)
            sides += rise_of(grey, floor, body, least)
        out[k] = far - 16 * count - 8 + (sides >> 3)
    return whole


def grey_of(frame, scale, x, y):
    width = COLUMNS * scale
    x = min(max(x - 8, 0), (width << 4) - 32)
    y = min(max(y - 8, 0), (ROWS * scale << 4) - 32)
    k = (y >> 4) * width + (x >> 4)
    x &= 15
    y &= 15
    above = (frame[k] << 4) + (frame[k + 1] - frame[k]) * x
    k += width
    below = (frame[k] << 4) + (frame[k + 1] - frame[k]) * x
    return ((above << 4) + (below - above) * y) >> 8


def empty_grey_of(empty, scale, x, y):
    column = min(max((x >> 4) // scale, 0), COLUMNS - 1)
    row = min(max((y >> 4) // scale, 0), ROWS - 1)
    return empty[row * COLUMNS + column] or 1


def outside_of(grey, base):
    return min(max(grey, base * SHADE // 100), base + LIGHT)


def rise_of(grey, floor, body, least):
    rise = 128 * (grey - floor) // ((body - floor) or 1)
    return 128 * min(max(rise - least, 0), 128 - least) // (128 - least)
