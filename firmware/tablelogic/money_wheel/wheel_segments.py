"""The payout of each segment of a money wheel, to one, clockwise from the index.

No document gives counts or order (rulebook READING-13). The 52 follow the third-party counts of
rulebook chapter 4: 24 x 1, 12 x 3, 8 x 5, 4 x 10, 2 x 20, two of 45; the 54 the common Big Six:
24 x 1, 15 x 2, 7 x 5, 4 x 10, 2 x 20, two of 40. The order spreads each number evenly; a wheel
with another print needs another line here.
"""

SEGMENTS_52 = bytes((
    1, 3, 5, 1, 10, 1, 3, 1, 5, 1, 3, 1, 20, 45, 1, 3, 1, 5, 1, 3, 1, 10, 1, 5, 3, 1, 1, 3, 5,
    1, 10, 1, 3, 1, 5, 1, 3, 1, 20, 45, 1, 3, 1, 5, 1, 3, 1, 10, 1, 5, 3, 1,
))  # fmt: skip

SEGMENTS_54 = bytes((
    1, 2, 5, 1, 2, 1, 10, 1, 2, 1, 5, 20, 1, 2, 1, 40, 2, 1, 5, 1, 2, 1, 10, 2, 1, 1, 5, 2, 1,
    2, 1, 10, 1, 2, 1, 5, 1, 2, 20, 1, 40, 2, 1, 5, 1, 2, 1, 10, 1, 2, 1, 5, 2, 1,
))  # fmt: skip


def layout(choice: int) -> bytes:
    """The layout of configuration value 1 (52 segments) or 2 (54)."""
    return SEGMENTS_54 if choice == 2 else SEGMENTS_52
