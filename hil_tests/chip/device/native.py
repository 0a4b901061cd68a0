# mypy: ignore-errors
"""The native forms of the dice reader's two loops, against the plain ones: the same results."""

import random
from array import array

from tablelogic.dice import classifier, fast_scan, layers, spots
from tablelogic.dice.scan import scan

assert spots.scan is fast_scan.scan
assert classifier.layer is fast_scan.layer

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
print(frames, convolutions)
