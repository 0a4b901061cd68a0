"""Printed orders of the wheels, clockwise from the zero; 37 stands for the double zero.

Single zero: the customary order (no rule prints it, rulebook READING-9). Double zero: hc2011
2:1(1), turned so that it begins at 0.
"""

DOUBLE_ZERO = 37

SINGLE = bytes((
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20,
    14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26,
))  # fmt: skip

DOUBLE = bytes((
    0, 2, 14, 35, 23, 4, 16, 33, 21, 6, 18, 31, 19, 8, 12, 29, 25, 10, 27, DOUBLE_ZERO, 1, 13, 36,
    24, 3, 15, 34, 22, 5, 17, 32, 20, 7, 11, 30, 26, 9, 28,
))  # fmt: skip


def order(wheel: int) -> bytes:
    """The order of wheel 1 (single zero, 37 pockets) or 2 (double zero, 38 pockets)."""
    return DOUBLE if wheel == 2 else SINGLE


def number(wheel: int, index: int, reading_direction: int) -> int:
    """The number printed at pocket_index `index`, 0..37; the order is read 0 clockwise, 1 not."""
    printed = order(wheel)
    return printed[(len(printed) - index) % len(printed) if reading_direction else index]
