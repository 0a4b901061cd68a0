"""Edges of a money wheel made by hand: pushed, running down evenly, come to rest.

Geometry: A is over pin k while P is within 0.25 of k, B while within 0.25 of k + 0.25, the index
while P is within 0.125 of n - 0.5. P rises counter-clockwise. x is how far the wheel has turned,
in segments: P = start + x rising, P = start - x falling.
"""

from tablelogic.money_wheel.coast_law import Law
from tablewire import money_wheel, settings

WIDTHS = ((money_wheel.INPUT_ROTOR_A, -0.25, 0.25), (money_wheel.INPUT_ROTOR_B, 0.0, 0.5))


def law_of(keys=()):
    """The law of a wheel of 52 pins: factory values but for these (key, value)."""
    cfg = list(settings.factory())
    for key, value in keys:
        cfg[key] = value
    return Law(cfg, 52)


def crossings(pins, start, way, distance):
    """(x, sensor, level) of every change while the wheel turns by `distance` segments."""
    times = []
    low = int(min(start, start + way * distance)) - 2
    high = int(max(start, start + way * distance)) + 2
    for k in range(low, high):
        spans = [(sensor, k + a, k + b) for sensor, a, b in WIDTHS]
        if (k + 1) % pins == 0:
            spans.append((money_wheel.INPUT_INDEX, k + 0.375, k + 0.625))
        for sensor, a, b in spans:
            enters, leaves = (a, b) if way > 0 else (b, a)
            for place, level in ((enters, 1), (leaves, 0)):
                x = (place - start) * way
                if 0 < x <= distance:
                    times.append((x, sensor, level))
    times.sort()
    return times


def covered(pins, place):
    """The sensors that are covered at rest at P = place."""
    frac = place % 1.0
    edges = []
    if frac < 0.25 or frac >= 0.75:
        edges.append(money_wheel.INPUT_ROTOR_A)
    if frac < 0.5:
        edges.append(money_wheel.INPUT_ROTOR_B)
    if pins - 0.625 <= place % pins < pins - 0.375:
        edges.append(money_wheel.INPUT_INDEX)
    return edges


def at_speed(pins, start, way, distance, pin_us, from_us=0):
    """Edges (t_us, sensor, level) of a wheel that turns evenly, pin_us a segment."""
    return [
        (from_us + int(x * pin_us), sensor, level)
        for x, sensor, level in crossings(pins, start, way, distance)
    ]


def running_down(pins, start, way, speed, slowing, from_us=0):
    """Edges of a wheel let go at `speed` segments/s that slows by `slowing` segments/s2 to rest.

    Returns (edges, segments run): it is at rest speed / slowing seconds later, after
    speed * speed / (2 * slowing) segments.
    """
    distance = speed * speed / (2 * slowing)
    edges = []
    for x, sensor, level in crossings(pins, start, way, distance):
        root = (speed * speed - 2 * slowing * x) ** 0.5
        edges.append((from_us + int((speed - root) / slowing * 1000000), sensor, level))
    return edges, distance
