"""Call bets and coloured chips of roulette, as the bets they stand for (1:1(5), 2:3(1), 2:4(1)).

A series is an arc of the wheel that is covered as cheaply as the cloth allows; where the custom
is otherwise the chips are listed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tabletools.shadow.verdict import Impossible, Record

# Clockwise, single zero from 0 and double zero as hc2011 2:1(1) prints it.
SINGLE = [int(n) for n in (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12"
    " 35 3 26"
).split()]  # fmt: skip
DOUBLE = (
    "00 1 13 36 24 3 15 34 22 5 17 32 20 7 11 30 26 9 28 0 2 14 35 23 4 16 33 21 6 18 31 19 8 12"
    " 29 25 10 27"
).split()
NAMES = {1: "straight", 2: "split", 3: "street", 4: "corner"}
# The chips of a series that are not splits between two numbers of its arc.
SINGLES = {"orphelins": [[1]], "zero_game": [[26]]}
DOUBLED = [[0, 2, 3], [25, 26, 28, 29]]


class _Call(NamedTuple):
    """A call bet, its fields as docs/SETTLE.md has them; None: left out."""

    id: str
    call: str
    stake: int
    player: str | None
    number: str | None
    sides: int | None


class _Colour(NamedTuple):
    """Whose chips have a colour. value: cents of a chip, None: the minimum of the table."""

    player: str
    value: int | None


def entered(record: Record) -> Iterator[Record]:
    """Yield the bets that a round of roulette has besides `bets`."""
    for call in record.get("calls") or ():
        yield from _call(_Call._make(map(call.get, _Call._fields)), record["variant"])
    for chip in record.get("chips") or ():
        fields = record["colours"][chip["colour"]]
        colour = _Colour._make(map(fields.get, _Colour._fields))
        value = colour.value or (record.get("table") or {})["minimum"]
        yield {**chip, "player": colour.player, "stake": value * chip["chips"]}


def _call(call: _Call, variant: str) -> Iterator[Record]:
    chips = _neighbours(call, variant) if call.call == "neighbours" else _series(call, variant)
    value, rest = divmod(call.stake, sum(count for _, count in chips))
    if rest:
        raise Impossible(f"{call.call} of {call.stake} is no whole number of chips")
    for number, (place, count) in enumerate(chips, start=1):
        yield {
            "id": f"{call.id}/{number}",
            "player": call.player,
            "bet": NAMES[len(place)],
            "numbers": [str(n) for n in place],
            "stake": value * count,
        }


def _neighbours(call: _Call, variant: str) -> list[tuple[list[Any], int]]:
    wheel = DOUBLE if variant == "american00" else [str(n) for n in SINGLE]
    sides = call.sides or 2
    first = wheel.index(call.number or "") - sides
    return [([wheel[(first + step) % len(wheel)]], 1) for step in range(2 * sides + 1)]


def _series(call: _Call, variant: str) -> list[tuple[list[Any], int]]:
    """Return the places of a series with their chips, from the lowest number on."""
    if variant == "american00":
        raise Impossible(f"{call.call} on a wheel with two zeros")
    arcs = {
        "voisins": _arc(22, 25),
        "zero_game": _arc(12, 15),
        "tiers": _arc(27, 33),
        "orphelins": _arc(17, 6) + _arc(1, 9),
    }
    name = call.call
    doubled = DOUBLED if name == "voisins" else []
    alone = SINGLES.get(name, [])
    left = [n for n in sorted(arcs[name]) if all(n not in place for place in doubled + alone)]
    chips = [(place, 2) for place in doubled] + [(place, 1) for place in alone]
    chips += [(pair, 1) for pair in _pairs(left, is_shared=name == "orphelins")]
    return sorted(chips)


def _arc(first: int, last: int) -> list[int]:
    """Return the numbers of the wheel from one to another, clockwise."""
    place, end = SINGLE.index(first), SINGLE.index(last)
    return [SINGLE[n % 37] for n in range(place, (end if end >= place else end + 37) + 1)]


def _pairs(numbers: list[int], *, is_shared: bool) -> list[list[int]]:
    """Return splits that cover all numbers, each once; is_shared: 17 has two (orphelins)."""
    every = [
        [low, high]
        for low in numbers
        for high in numbers
        if (low == 0 and high in (1, 2, 3))
        or (low and (high - low == 3 or (high - low == 1 and low % 3)))
    ]
    if is_shared:
        return every
    return _matching(numbers, every) or []


def _matching(numbers: list[int], pairs: list[list[int]]) -> list[list[int]] | None:
    if not numbers:
        return []
    for pair in pairs:
        if pair[0] == numbers[0]:
            rest = _matching([n for n in numbers if n not in pair], pairs)
            if rest is not None:
                return [pair, *rest]
    return None
