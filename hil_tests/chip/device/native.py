# mypy: ignore-errors
"""The native forms of the dice readers' loops, against the plain ones: the same results."""

import random
from array import array

from tablelogic.dice import classifier, fast_scan, layers, spots
from tablelogic.dice.scan import scan
from tablelogic.tray_reader import fast_runs, reader
from tablelogic.tray_reader import runs as plain

MOST = 1200  # of runs; a release has no names of constants

assert spots.scan is fast_scan.scan
assert classifier.layer is fast_scan.layer
assert reader.runs is fast_runs.runs

random.seed(5)


def noise(count, most=255):
    return bytes(random.randint(0, most) for _ in range(count))


frames = 0
for number in range(60):
    width, height = random.randint(30, 50), random.randint(30, 40)
    frame = noise(width * height, random.choice((3, 40, 255)))
    radius, step = random.choice((2, 3, 4, 5, 6, 8, 11)), random.choice((1, 2))
    ring = radius, step, random.randint(1, 30)
    room = 6 * (400 if number % 3 else 5)
    ours, theirs = array("h", bytes(room)), array("h", bytes(room))
    count = scan(frame, (width, height), ring, theirs)
    assert fast_scan.scan(frame, (width, height), ring, ours) == count, (number, count)
    assert ours == theirs, number
    frames += 1

convolutions = 0
for number in range(30):
    kernel, step = random.randint(1, 4), random.randint(1, 2)
    deep, count = random.randint(1, 3), random.randint(1, 4)
    size = random.randint(kernel, 9)
    data = noise(size * size * deep)
    weights = noise(kernel * kernel * deep * count)
    biases = tuple(random.randint(-40000, 40000) for _ in range(count))
    shape = size, deep, kernel, step, count, random.randint(0, 9)
    places = (size - kernel) // step + 1
    ours, theirs = bytearray(places * places * count), bytearray(places * places * count)
    layers.layer(data, shape, weights, biases, theirs)
    fast_scan.layer(data, shape, weights, biases, ours)
    assert ours == theirs, number
    convolutions += 1

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
print(frames, convolutions, trays)
