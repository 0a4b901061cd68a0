# mypy: ignore-errors
"""The native form of the dice reader's loop, against the plain one: the same results."""

import random
from array import array

from tablelogic.tray_reader import fast_runs, reader
from tablelogic.tray_reader import runs as plain

MOST = 1200  # of runs; a release has no names of constants

assert reader.runs is fast_runs.runs

random.seed(5)


def noise(count, most=255):
    return bytes(random.randint(0, most) for _ in range(count))


trays = 0
for number in range(20):
    scale, columns, rows = 1 + number % 2, random.randint(20, 60), random.randint(20, 40)
    frame = noise(scale * scale * columns * rows, random.choice((20, 90, 255)))
    empty = bytes(random.randint(40, 160) for _ in range(columns * rows))
    spans = bytearray()
    for _ in range(rows):
        ends = random.randint(0, columns), random.randint(0, columns)
        spans.append(min(ends))
        spans.append(max(ends))
    facts = array("h", (scale, columns, rows, random.randint(0, 255), number // 2 % 2))
    room = 8 * (MOST + 1)
    ours, theirs = array("H", bytes(room)), array("H", bytes(room))
    count = plain.runs(frame, empty, spans, facts, theirs)
    assert fast_runs.runs(frame, empty, spans, facts, ours) == count, number
    assert ours == theirs, number
    trays += 1
print(trays)
