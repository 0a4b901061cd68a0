"""Pictures of dice drawn with whole numbers: an even cloth, square dice, round pips."""

PLACES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)),
    6: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0)),
}
WIDTH = 96
HEIGHT = 72
CLOTH = 90


def cloth(width=WIDTH, height=HEIGHT):
    """An empty tray, lighter toward the right as under a lamp."""
    row = bytes(CLOTH + x * 12 // width for x in range(width))
    return bytearray(row * height)


def draw(frame, x, y, value, body=230, pip=30, side=24, turned=False, width=WIDTH, disc=False):
    """Draw a die with its middle at (x, y); turned: by 3-4-5's angle, about 37 degrees.

    disc: a round token with its pips in place of the die.
    """
    c, s = (4, 3) if turned else (5, 0)
    half = side * 5 // 2  # of a length multiplied by five
    pitch = side * 13 // 10  # a quarter of the side and a little, in fifths
    radius = side * 45 // 100  # nine hundredths of the side, in fifths
    for row in range(max(0, y - side), min(len(frame) // width, y + side + 1)):
        for column in range(max(0, x - side), min(width, x + side + 1)):
            a = c * (column - x) + s * (row - y)
            b = c * (row - y) - s * (column - x)
            out = a * a + b * b > half * half if disc else max(abs(a), abs(b)) > half
            if out:
                continue
            near = any(
                (a - i * pitch) * (a - i * pitch) + (b - j * pitch) * (b - j * pitch)
                <= radius * radius
                for i, j in PLACES[value]
            )
            frame[row * width + column] = pip if near else body
    return frame
