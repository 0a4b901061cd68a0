"""Edges made by hand: a rotor at constant speed, a ball on the rim, one magnet over a sensor.

Geometry, seen from above: P is the pocket at the reference angle. Sensor A is high while P is
within half of `ring` of a whole number k, B within that of k + 0.25, the index within 0.125 of
n - 0.5, the head (h pockets clockwise of the reference) within 0.2 of the ball's pocket less h.
`ring` is the share of a pitch that a magnet covers, 0.5 where nothing else is said. Turning
counter-clockwise P rises, clockwise it falls. `x` is how far the rotor has turned, in pockets:
P = x counter-clockwise, P = -x clockwise.
"""

from tablewire import roulette

CW = 1
CCW = -1
# 100 ms a pocket: a turn of 37 takes 3.7 s, 16.2 rpm.
PITCH_US = 100000


def rises(direction, pockets, ring):
    """(sensor, first x, every how many x, width) of A, B and index, from the geometry above.

    The middle of B is at P = k + 0.25, so at x = -k - 0.25 clockwise; the index covers
    P = n - 0.625..n - 0.375, so x = 0.375..0.625 of each turn clockwise.
    """
    b_middle = 0.25 if direction == CCW else -0.25
    return (
        (roulette.INPUT_ROTOR_A, -ring / 2, 1, ring),
        (roulette.INPUT_ROTOR_B, b_middle - ring / 2, 1, ring),
        (roulette.INPUT_INDEX, pockets - 0.625 if direction == CCW else 0.375, pockets, 0.25),
    )


def train(sensor, first_x, every_x, width_x, turns_us):
    """Edges of one sensor while the rotor turns for `turns_us` from x = 0 at time 0."""
    # Whole microseconds from here on: a board adds up floats of 24 bits.
    first_us, every_us, width_us = (round(x * PITCH_US) for x in (first_x, every_x, width_x))
    edges = []
    for rise_us in range(first_us, turns_us, every_us):
        if rise_us >= 0:
            edges.append((rise_us, sensor, 1))
            edges.append((rise_us + width_us, sensor, 0))
    return edges


def rotor(direction, turns_us, pockets=37, ring=0.5):
    """Edges of A, B and index, in time order."""
    edges = []
    for sensor, first_x, every_x, width_x in rises(direction, pockets, ring):
        edges += train(sensor, first_x, every_x, width_x, turns_us)
    return sorted(edges)


def head(direction, pocket, head_x, turns_us, pockets=37):
    """Edges of a head `head_x` pockets from the reference while the ball is in `pocket`.

    P + head_x = pocket: x = pocket - head_x counter-clockwise, head_x - pocket clockwise.
    """
    centre = pocket - head_x if direction == CCW else head_x - pocket
    return train(roulette.INPUT_HEAD, centre % pockets - 0.2, pockets, 0.4, turns_us)


def passes(sensor, times_ms, width_us=5000):
    """Edges of a rim sensor the ball passes at these times."""
    edges = []
    for t_ms in times_ms:
        edges.append((t_ms * 1000, sensor, 1))
        edges.append((t_ms * 1000 + width_us, sensor, 0))
    return edges


def without(edges, sensor, lost):
    """Edges with the pulses of a sensor left out whose number, from 0, is in `lost`."""
    rest = []
    number = -1
    for edge in edges:
        if edge[1] == sensor:
            number += edge[2]
            if number in lost:
                continue
        rest.append(edge)
    return rest
