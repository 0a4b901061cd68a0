"""Pictures of a tray drawn by hand for the tests of its reader: 160 x 120 px, a die 24 px wide.

A pixel is the mean of nine points. The lens is far away, so a flat die shows no side.
"""

from array import array
from binascii import crc32

from tablelogic.tray_reader.sizes import COLUMNS, ROWS

SIDE = 24  # px
TRAY, BODY, PIP = 90, 230, 20
DARK_TRAY, DARK_BODY, DARK_PIP = 150, 30, 225
PITCH = 0.26
RADIUS = 0.1  # of a pip; both in edges
ONE = ((0, 0),)
TWO = ((-1, -1), (1, 1))
FOUR = ((-1, -1), (1, -1), (-1, 1), (1, 1))
FACES = (
    ONE,
    TWO,
    ONE + TWO,
    FOUR,
    ONE + FOUR,
    FOUR + ((-1, 0), (1, 0)),
)
# cos and sin of the turns that the tests use: 0, 3-4-5, 5-12-13, 45 degrees.
TURNS = ((1.0, 0.0), (0.8, 0.6), (12 / 13, 5 / 13), (0.7071, 0.7071))
FLOOR = bytes((4, 156)) * ROWS


def rig_file(is_dark=False, floor=FLOOR, version=3, **changed):
    """The file of a rig for these pictures. changed: facts by name."""
    facts = {
        "scale": 1,
        "side": 16 * SIDE,
        "height": 16000,
        "x": 8 * COLUMNS,
        "y": 8 * ROWS,
        "corner": 0,
        "body": DARK_BODY if is_dark else BODY,
        "pip": DARK_PIP if is_dark else PIP,
        "pitch": 26,
        "pip_area": 31,
        "one_area": 31,
        "sharpness": 110,
        "lean": 105,
        "right": 30,
        "below": 30,
        "left": 30,
        "above": 30,
    }
    facts.update(changed)
    order = ("scale", "side", "height", "x", "y", "corner", "body", "pip", "pitch")
    order += ("pip_area", "one_area", "sharpness", "lean", "right", "below", "left", "above")
    empty = bytes([DARK_TRAY if is_dark else TRAY]) * (COLUMNS * ROWS)
    data = bytes(array("H", [version] + [facts[name] for name in order])) + floor + empty
    return data + crc32(data).to_bytes(4, "little")


def empty_tray(grey=TRAY):
    """A picture of the empty tray."""
    return bytearray([grey] * (COLUMNS * ROWS))


def draw(picture, x, y, pips, turn=TURNS[0], body=BODY, pip=PIP, side=SIDE):
    """Draw a die with its middle there, px. pips: places, in pitches from its middle."""
    reach = int(side * 0.75) + 1
    for row in range(y - reach, y + reach + 1):
        for column in range(x - reach, x + reach + 1):
            if 0 <= row < ROWS and 0 <= column < COLUMNS:
                place = row * COLUMNS + column
                total = 0
                for k in range(9):
                    right = (column - x + k % 3 / 3 + 1 / 6) / side
                    down = (row - y + k // 3 / 3 + 1 / 6) / side
                    u = right * turn[0] + down * turn[1]
                    v = down * turn[0] - right * turn[1]
                    total += _grey(u, v, pips, body, pip, picture[place])
                picture[place] = total // 9


def _grey(u, v, pips, body, pip, tray):
    if max(abs(u), abs(v)) > 0.5:
        return tray
    for i, j in pips:
        if (u - i * PITCH) ** 2 + (v - j * PITCH) ** 2 < RADIUS * RADIUS:
            return pip
    return body


def box(picture, left, top, right, bottom, grey):
    """Fill a rectangle; right and bottom are the first beyond it."""
    for row in range(top, bottom):
        picture[row * COLUMNS + left : row * COLUMNS + right] = bytes([grey]) * (right - left)


def blur(picture, passes):
    """The picture after passes of 1-2-1 each way."""
    for _ in range(passes):
        for step in (1, COLUMNS):
            old = bytes(picture)
            for k in range(step, len(old) - step):
                picture[k] = (old[k - step] + 2 * old[k] + old[k + step]) >> 2
    return picture
