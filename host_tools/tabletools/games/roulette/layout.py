"""The roulette cloth: pockets, colours and every position a bet can be placed on.

No document prints which numbers are adjacent or red (READING-9); this is the customary cloth:
twelve rows of three from 1-2-3 to 34-35-36, with the zeros at the head. Zero positions are
listed by hand in `_ZERO_POSITIONS`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

ORDERS: Mapping[str, Sequence[str]] = {
    "single": (
        "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28"
        " 12 35 3 26"
    ).split(),
    "double": (
        "0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34 22 5 17 32 20 7"
        " 11 30 26 9 28"
    ).split(),
}
"""The customary orders of the wheels, clockwise from the pocket of 0 (rulebook 3.1)."""
RED_NUMBERS = frozenset((1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36))

EVEN_CHANCES: tuple[str, ...] = ("even", "odd", "low", "high", "red", "black")
TWELVES: tuple[str, ...] = ("dozen", "column")
KINDS: Mapping[str, int] = {
    "straight": 1,
    "split": 2,
    "street": 3,
    "corner": 4,
    "top_line": 5,
    "six_line": 6,
    **dict.fromkeys(TWELVES, 12),
    **dict.fromkeys(EVEN_CHANCES, 18),
}
"""Every kind of bet and how many numbers it covers."""

_ZERO_POSITIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "single": {
        "split": ("0 1", "0 2", "0 3"),
        "street": ("0 1 2", "0 2 3"),
        "corner": ("0 1 2 3",),
    },
    "double": {
        "split": ("0 1", "0 2", "00 2", "00 3", "0 00"),
        "street": ("0 1 2", "0 00 2", "00 2 3"),
        "top_line": ("0 00 1 2 3",),
    },
}


@dataclass(frozen=True, eq=False, slots=True)
class Position:
    """One place on the cloth. There is one object per place, so identity is equality.

    kind: key of KINDS. numbers: the pockets covered, in cloth order. index: 1..3 for a dozen or
    column, else None.
    """

    kind: str
    numbers: tuple[str, ...]
    index: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Wheel:
    """The pockets of a wheel and its cloth.

    pockets: labels, 1..36 after the zeros. zeros: the labels that are zero. positions: by kind,
    in cloth order. numbers_at: position by kind and set of numbers. pocket_index: label -> place
    in `pockets`.
    """

    name: str
    zeros: tuple[str, ...]
    pockets: tuple[str, ...]
    positions: Mapping[str, tuple[Position, ...]]
    numbers_at: Mapping[str, Mapping[frozenset[str], Position]]
    pocket_index: Mapping[str, int] = field(repr=False)


def even_chance_numbers(kind: str) -> tuple[int, ...]:
    """Return the 18 numbers of an even chance; no zero is in any (rulebook 3.2)."""
    everything = range(1, 37)
    numbers = {
        "even": range(2, 37, 2),
        "odd": range(1, 37, 2),
        "low": range(1, 19),
        "high": range(19, 37),
        "red": sorted(RED_NUMBERS),
        "black": sorted(RED_NUMBERS.symmetric_difference(everything)),
    }
    return tuple(numbers[kind])


def _inside(kind: str) -> Iterator[tuple[int, ...]]:
    """Yield the inside positions of one kind among 1..36."""
    row_heads = range(1, 37, 3)
    if kind == "straight":
        yield from ((n,) for n in range(1, 37))
    elif kind == "split":
        yield from ((n, n + 1) for n in range(1, 37) if n % 3)
        yield from ((n, n + 3) for n in range(1, 34))
    elif kind == "street":
        yield from ((n, n + 1, n + 2) for n in row_heads)
    elif kind == "corner":
        yield from ((n, n + 1, n + 3, n + 4) for n in range(1, 34) if n % 3)
    elif kind == "six_line":
        yield from (tuple(range(n, n + 6)) for n in row_heads[:-1])


def _outside(kind: str) -> Iterator[tuple[tuple[int, ...], int | None]]:
    """Yield the outside positions of one kind with their index."""
    if kind == "dozen":
        yield from ((tuple(range(12 * i - 11, 12 * i + 1)), i) for i in (1, 2, 3))
    elif kind == "column":
        yield from ((tuple(range(i, 37, 3)), i) for i in (1, 2, 3))
    elif kind in EVEN_CHANCES:
        yield even_chance_numbers(kind), None


def _positions(kind: str, name: str, zeros: tuple[str, ...]) -> tuple[Position, ...]:
    positions = [Position(kind, tuple(n.split())) for n in _ZERO_POSITIONS[name].get(kind, ())]
    if kind == "straight":
        positions = [Position(kind, (zero,)) for zero in zeros]
    positions += [Position(kind, tuple(map(str, numbers))) for numbers in _inside(kind)]
    positions += [Position(kind, tuple(map(str, numbers)), i) for numbers, i in _outside(kind)]
    return tuple(positions)


def _wheel(name: str, zeros: tuple[str, ...]) -> Wheel:
    pockets = zeros + tuple(map(str, range(1, 37)))
    positions = {kind: _positions(kind, name, zeros) for kind in KINDS}
    numbers_at = {
        kind: {frozenset(position.numbers): position for position in places}
        for kind, places in positions.items()
    }
    index = {pocket: place for place, pocket in enumerate(pockets)}
    return Wheel(name, zeros, pockets, positions, numbers_at, index)


SINGLE_ZERO = _wheel("single", ("0",))
DOUBLE_ZERO = _wheel("double", ("0", "00"))
