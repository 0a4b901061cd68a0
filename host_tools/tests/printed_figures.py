"""Figures of the rulebook for dice and wheels, read from it a second time: edges and maxima.

The tests compare the games with them, and take from here which bets there are.
"""


def each(bet, *selections):
    return [{"bet": bet, "on": list(on)} for on in selections]


FACES = [(face,) for face in range(1, 7)]
PAIRS = [(a, b) for a in range(1, 7) for b in range(a + 1, 7)]
# Rulebook 5: bets of one price, and the edge in 216ths in hc2023 and hc2011.
SIC_BO_EDGES = [
    ([{"bet": "small"}, {"bet": "big"}], 6, 6),
    (each("single", *FACES), 17, 8),
    (each("two", *PAIRS), 6, 6),
    (each("total", (4,), (17,)), 33, 33),
    (each("total", (5,), (16,)), 30, 30),
    (each("total", (6,), (15,)), 26, 26),
    (each("total", (7,), (14,)), 21, 21),
    (each("total", (8,), (13,)), 27, 27),
    (each("total", (9,), (12,)), 16, 41),
    (each("total", (10,), (11,)), 27, 27),
    (each("double", *FACES), 40, 24),
    ([{"bet": "any_triple"}], 30, 30),
    (each("specific_triple", *FACES), 35, 35),
]
# Rulebook 6, edges in 36ths.
ROCKET_7_EDGES = [
    ([{"bet": "low"}, {"bet": "high"}], 1),
    (each("single", *FACES), 1),
    ([{"bet": "any_double"}], 6),
    (each("double", *FACES), 3),
    ([{"bet": "any7"}], 6),
    (each("specific7", (1, 6), (2, 5), (3, 4)), 2),
    (each("total", (3,), (11,)), 2),
    (each("total", (4,), (10,)), 3),
    (each("total", (5,), (9,)), 4),
    (each("total", (6,), (8,)), 1),
]

# Rulebook 5 and 6 as printed, EUR, by minimum; rulebook 4 for the wheel.
SIC_BO_MINIMA = [200, 250, 500, 750, 1000]
SIC_BO_MAXIMA = {
    ("specific_triple", (6,), 180): (10, 10, 20, 40, 40),
    ("any_triple", (), 30): (60, 60, 120, 240, 240),
    ("double", (1,), 11): (160, 160, 320, 640, 640),
    ("total", (17,), 60): (30, 30, 60, 120, 120),
    ("total", (5,), 30): (60, 60, 120, 240, 240),
    ("total", (15,), 18): (100, 100, 200, 400, 400),
    ("total", (7,), 12): (150, 150, 300, 600, 600),
    ("total", (13,), 8): (225, 225, 450, 900, 900),
    ("total", (9,), 6): (300, 300, 600, 1200, 1200),
    ("total", (11,), 6): (300, 300, 600, 1200, 1200),
    ("two", (1, 2), 6): (300, 300, 600, 1200, 1200),
    ("single", (3,), 12): (150, 150, 300, 600, 600),
    ("small", (), 1): (1800, 1800, 3600, 7200, 7200),
    ("big", (), 1): (1800, 1800, 3600, 7200, 7200),
}
ROCKET_MINIMA = [200, 250, 500, 750, 1000, 2000, 5000]
ROCKET_MAXIMA = {
    ("low", (), 1): (2000, 2000, 5000, 10000, 10000, 10000, 10000),
    ("total", (3,), 16): (200, 200, 500, 1000, 1000, 1000, 1000),
    ("total", (8,), 6): (200, 200, 500, 1000, 1000, 1000, 1000),
    ("specific7", (3, 4), 16): (200, 200, 500, 1000, 1000, 1000, 1000),
}
WHEEL_MINIMA = [200, 250, 500, 750, 1000, 1500, 2000]
WHEEL_MAXIMA = {
    ("segment", (1,), 1): (450, 900, 900, 1800, 1800, 3600, 3600),
    ("segment", (3,), 3): (150, 300, 300, 600, 600, 1200, 1200),
    ("segment", (5,), 5): (90, 180, 180, 360, 360, 720, 720),
    ("segment", (10,), 10): (45, 90, 90, 180, 180, 360, 360),
    ("segment", (20,), 20): (20, 45, 45, 90, 90, 180, 180),
    ("segment", (45,), 45): (10, 20, 20, 40, 40, 80, 80),
}


def bets_of(edges):
    """Every bet of a game, one for each selection."""
    return [bet for row in edges for bet in row[0]]
