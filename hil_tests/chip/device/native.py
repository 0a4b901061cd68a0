# mypy: ignore-errors
"""The dice reader's loops in native code, against bytecode of the same source."""

import random
from array import array

from tablelogic.tray_reader import forms, loops
from tablelogic.tray_reader.outline import X, Y

MOST = 1200  # of runs; a release has no names of constants

assert forms.runs is loops.runs


class Plain:
    """The loops as bytecode."""


def plainly():
    with open("/loops") as file:
        source = file.read().replace("@micropython.viper", "")
    names = {"ptr8": lambda buffer: buffer, "ptr32": lambda buffer: buffer}
    exec(source, names)
    for name in ("runs", "ends", "sample", "rises"):
        setattr(Plain, name, staticmethod(names[name]))


plainly()

random.seed(5)


def noise(count, most=255):
    return bytes(random.randint(0, most) for _ in range(count))


def same_runs(number):
    scale, columns, rows = 1 + number % 2, random.randint(20, 60), random.randint(20, 40)
    frame = noise(scale * scale * columns * rows, random.choice((20, 90, 255)))
    empty = bytes(random.randint(40, 160) for _ in range(columns * rows))
    spans = bytearray()
    for _ in range(rows):
        ends = random.randint(0, columns), random.randint(0, columns)
        spans.append(min(ends))
        spans.append(max(ends))
    facts = array("i", (scale, columns, rows, random.randint(0, 255), number // 2 % 2))
    room = 4 * (MOST + 1)
    ours, theirs = bytearray(room), bytearray(room)
    count = Plain.runs(frame, empty, (spans, theirs), facts)
    assert loops.runs(frame, empty, (spans, ours), facts) == count, number
    assert ours == theirs, number


def same_dice(number):
    """Ends of lines, samples of a top, sums of its sides: of one frame of noise."""
    scale = 1 + number % 2
    frame, empty = noise(19200 * scale * scale), noise(19200, 90)
    for lines, most, is_row in ((120, 159, 1), (160, 119, 0)):
        firsts, lasts = noise(lines, most), noise(lines, most)
        level = random.choice(((2, 1, 210), (1, 1, 24), (-3, -1, -60)))
        facts = array("i", (scale, 210) + level + (is_row,) + X + Y)  # noqa: RUF005
        ours, theirs = array("i", [-1 << 20] * 18), array("i", [-1 << 20] * 18)
        Plain.ends(frame, empty, (firsts, lasts, theirs), facts)
        loops.ends(frame, empty, (firsts, lasts, ours), facts)
        assert ours == theirs, number
    x, y, k = random.randint(-99, 2650), random.randint(-99, 2000), random.randint(0, 15)
    ours, theirs = bytearray(576), bytearray(576)
    facts = array("i", (scale, x, y, 352 * X[k], 352 * Y[k]))
    Plain.sample(frame, theirs, facts)
    loops.sample(frame, ours, facts)
    assert ours == theirs, number
    ours, theirs = array("i", bytes(36)), array("i", bytes(36))
    facts = (scale, random.randint(0, 255), random.choice((0, 77)), x, y, X[k], Y[k], 260, 12)
    facts = array("i", facts + tuple(range(-124, 125, 31)))
    whole = Plain.rises(frame, empty, theirs, facts)
    assert loops.rises(frame, empty, ours, facts) == whole, number
    assert ours == theirs, number


for number in range(20):
    same_runs(number)
    same_dice(number)
print(20)
