"""Spins of one machine from a CSV file, split where the machine was moved.

Columns: that of the machine (pocket, segment, dice, balls or cards); optional wheel (its name),
round (rising numbers: only with it is the order known to be that of play), moved (1 in the first
spin after it was moved or levelled), drop_deg (where the ball left the rim, degrees clockwise),
and croupier, ball, direction, thrower (each value is also tested by itself). Cards have decks, and
shoe, where they are dealt from one: another value is another shoe. A row without a result is a
void round. UTF-8, UTF-16 and Windows-1252, commas, semicolons or tabs, a first line `sep=;` and
decimal commas are read, so that files are taken as spreadsheets write them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import lt
from pathlib import Path
from typing import TYPE_CHECKING

from tabletools.audit.audit_machines import DECK, SUITS, Kind, Machine
from tabletools.audit.spin_sheet import Sheet, read_sheet
from tabletools.errors import ToolError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DOUBLE_ZERO = "00"
ZEROS_LEAST = 8
"""Zeros expected before a file without 00 is suspect: by chance 1 in 3,000 has none then."""

MOST_DECKS = 16
_DECKS = frozenset(map(str, range(1, MOST_DECKS + 1)))

GROUPS = ("croupier", "ball", "direction", "thrower")
"""Columns whose values are also tested by themselves."""
_YES = {"1", "true", "yes"}
_NO = {"", "0", "false", "no"}


@dataclass
class Spins:
    """Results since the last move, in order, as indexes in Machine.labels.

    voids: rows without a result. moves: how often it was moved before. before: results before
    that. round: the number of the last one, None when the order of play is not known. dice: of
    each throw, 0 where throws differ; 1 for a wheel. groups: by column of GROUPS, the value in the
    row of each result or throw; empty where there is no such column. sizes: balls of each draw, or
    cards of each shoe; without a shoe, of each round. decks: of a shoe or shuffler.
    """

    wheel: str
    places: list[int] | bytes = field(default_factory=list)
    drops_deg: list[float] = field(default_factory=list)
    voids: int = 0
    moves: int = 0
    before: int = 0
    round: int | None = None
    dice: int = 1
    groups: dict[str, list[str]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    decks: int = 0
    is_shoe: bool = False


def as_array(places: list[int] | bytes) -> "NDArray[np.int64]":
    """Return places as an array: of a million bytes without a million objects."""
    import numpy as np

    if isinstance(places, bytes):
        return np.frombuffer(places, dtype=np.uint8).astype(np.int64)
    return np.asarray(places, dtype=np.int64)


def read_spins(path: Path, machine: Machine) -> list[Spins]:
    """Return the spins of each wheel named in the file, in order of its first row.

    Raises ToolError naming the line.
    """
    sheet = read_sheet(path, machine)
    spins_by_name: dict[str, Spins] = {}
    for name, rows in _rows_by_wheel(sheet).items():
        spins_by_name[name] = _spins(name, rows, sheet, machine)
    if not any(spins.places for spins in spins_by_name.values()):
        raise ToolError(
            "there are no results to audit", where=str(path), step="give a file with played rounds"
        )
    if DOUBLE_ZERO in machine.labels:
        for spins in spins_by_name.values():
            _verify_zeros(spins, machine, path)
    return list(spins_by_name.values())


def _rows_by_wheel(sheet: Sheet) -> dict[str, Sequence[int]]:
    """Return the rows of each wheel, in order."""
    names = sheet.columns.get("wheel")
    if names is None:
        return {"": range(sheet.rows)}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return dict(rows)


def _spins(name: str, rows: Sequence[int], sheet: Sheet, machine: Machine) -> Spins:
    """Return the spins of these rows since the last move."""

    def column(title: str) -> list[str]:
        cells = sheet.columns[title]
        return cells if len(rows) == sheet.rows else [cells[row] for row in rows]

    results, spins = column(machine.column), Spins(name)
    first = 0
    if "moved" in sheet.columns:
        moves = _moves(column("moved"), rows, sheet)
        if moves:
            first, spins.moves = moves[-1], len(moves)
    if "round" in sheet.columns:
        spins.round = _last_round(column("round"), rows, sheet)
    throws = _throws(results, rows, sheet, machine)
    spins.before = sum(map(len, throws[:first]))
    # A void round has no result, and a move ends no count of voids: the machine is the same.
    spins.voids = throws.count(())
    counted = throws[first:]
    spins.places = [place for throw in counted for place in throw]
    sizes = {len(throw) for throw in counted if throw}
    spins.dice = sizes.pop() if len(sizes) == 1 else 0
    if machine.kind is Kind.DRAW:
        spins.sizes = _draws(counted, rows[first:], sheet, machine)
    if machine.kind is Kind.CARDS:
        spins.decks = _decks(column("decks") if "decks" in sheet.columns else [], rows, sheet)
        spins.is_shoe = "shoe" in sheet.columns
        names = column("shoe")[first:] if spins.is_shoe else [*map(str, rows[first:])]
        spins.sizes = _shoes(counted, names, spins.decks, rows[first:], sheet)
    if "drop_deg" in sheet.columns:
        spins.drops_deg = _drops(column("drop_deg"), throws, first, rows, sheet)
    for title in GROUPS:
        if title in sheet.columns:
            values = column(title)[first:]
            spins.groups[title] = [
                value for value, throw in zip(values, counted, strict=True) if throw
            ]
    return spins


def _throws(
    results: list[str], rows: Sequence[int], sheet: Sheet, machine: Machine
) -> list[tuple[int, ...]]:
    """Return the places of each row, none for a void round. Raises ToolError naming the line."""
    known: dict[str, tuple[int, ...]] = {
        label: (place,) for place, label in enumerate(machine.labels)
    }
    known[""] = ()
    if machine.kind is Kind.CARDS:
        known |= {"10" + suit: known["T" + suit] for suit in SUITS}
    for text in set(results) - known.keys():
        words = (text.upper() if machine.kind is Kind.CARDS else text).split()
        if all(word in known for word in words) and (not machine.is_round or len(words) < 2):
            known[text] = tuple(place for word in words for place in known[word])
    try:
        return [known[text] for text in results]
    except KeyError:
        place = next(k for k, text in enumerate(results) if text not in known)
        words = results[place].split()
        wrong = next((word for word in words if word not in known), results[place])
        raise _unknown(wrong, machine, sheet.where(rows[place])) from None


def _draws(
    draws: list[tuple[int, ...]], rows: Sequence[int], sheet: Sheet, machine: Machine
) -> list[int]:
    """Return the balls of each draw. Raises ToolError where one is drawn twice, or all are."""
    for at, draw in enumerate(draws):
        twice = next((place for place in draw if draw.count(place) > 1), None)
        if twice is not None or len(draw) == machine.fields:
            what = "all balls" if twice is None else f"ball {machine.labels[twice]} twice"
            raise ToolError(
                f"{what} in one draw",
                where=sheet.where(rows[at]),
                limit=f"each of {machine.fields} balls once, and one left",
                step="give one draw in each row",
            )
    return [len(draw) for draw in draws if draw]


def _decks(cells: list[str], rows: Sequence[int], sheet: Sheet) -> int:
    """Return the decks that cards are dealt from, the same in each row. Raises ToolError."""
    numbers = set(cells)
    if len(numbers) == 1 and cells[0] in _DECKS:
        return int(cells[0])
    wrong = next((at for at, cell in enumerate(cells) if cell != cells[0]), 0)
    raise ToolError(
        f"decks is {cells[wrong]!r}" if cells else "there is no column 'decks'",
        where=sheet.where(rows[wrong]) if cells else str(sheet.path),
        limit=f"1 to {MOST_DECKS}, the same in each row",
        step="add a column decks with the decks in the shoe; give each number a file of its own",
    )


def _shoes(
    rounds: list[tuple[int, ...]],
    names: list[str],
    decks: int,
    rows: Sequence[int],
    sheet: Sheet,
) -> list[int]:
    """Return the cards of each shoe: of neighbouring rows with the same name. Raises ToolError."""
    sizes, most = [0], decks * DECK
    for at, (name, cards) in enumerate(zip(names, rounds, strict=True)):
        if at and name != names[at - 1]:
            sizes.append(0)
        sizes[-1] += len(cards)
        if sizes[-1] > most:
            raise ToolError(
                f"shoe {name!r} has more than {most} cards",
                where=sheet.where(rows[at]),
                limit=f"{decks} decks",
                step="correct decks, or name each shoe differently from the one before it",
            )
    return [size for size in sizes if size]


def _moves(cells: list[str], rows: Sequence[int], sheet: Sheet) -> list[int]:
    """Return the rows at which the machine had been moved."""
    moves = []
    for at, cell in enumerate(cells):
        moved = cell.lower()
        if moved in _YES:
            moves.append(at)
        elif moved not in _NO:
            where = sheet.where(rows[at])
            raise ToolError(
                f"moved is {moved!r}", where=where, limit="1 or empty", step="correct it"
            )
    return moves


def _last_round(cells: list[str], rows: Sequence[int], sheet: Sheet) -> int | None:
    """Return the last number of rounds that rise. Raises ToolError."""
    digits = "".join(cells)
    if digits.isascii() and digits.isdecimal() and all(cells):
        numbers = list(map(int, cells))
        if all(map(lt, numbers, numbers[1:])):
            return numbers[-1]
    last = -1
    for at, word in enumerate(cells):
        number = int(word) if word.isascii() and word.isdecimal() else -1
        if number <= last:
            limit = f"more than {last}" if last >= 0 else "a whole number"
            raise ToolError(
                f"round is {word!r}",
                where=sheet.where(rows[at]),
                limit=limit,
                step="sort the rounds of each wheel, or leave the column out",
            )
        last = number
    return None


def _drops(
    cells: list[str],
    throws: list[tuple[int, ...]],
    first: int,
    rows: Sequence[int],
    sheet: Sheet,
) -> list[float]:
    """Return the drop angles since the last move, of rounds with a result. Raises ToolError."""
    used = [at for at in range(first, len(cells)) if cells[at] and throws[at]]
    try:
        angles = [float(cells[at].replace(",", ".")) for at in used]
        if all(-360 <= angle <= 360 for angle in angles):
            return angles
    except ValueError:
        pass
    place = next(place for place in used if not _is_angle(cells[place]))
    raise ToolError(
        f"drop_deg is {cells[place]!r}",
        where=sheet.where(rows[place]),
        limit="-360 to 360 degrees",
        step="correct it",
    )


def _is_angle(word: str) -> bool:
    try:
        return -360 <= float(word.replace(",", ".")) <= 360
    except ValueError:
        return False


def _verify_zeros(spins: Spins, machine: Machine, path: Path) -> None:
    """Raise ToolError if a spreadsheet seems to have turned each 00 into a 0."""
    zero, double = machine.labels.index("0"), machine.labels.index(DOUBLE_ZERO)
    n = len(spins.places)
    zeros, expected = spins.places.count(zero), n / machine.fields
    if double in spins.places or expected < ZEROS_LEAST or zeros < 1.5 * expected:
        return
    raise ToolError(
        f"there is no 00 among {n} results, and 0 came {zeros} times",
        where=str(path),
        limit=f"{expected:.0f} of each expected",
        cause="a spreadsheet turned 00 into 0",
        step="format the column pocket as text before the numbers are entered, and export again;"
        " if the wheel has one zero, use --wheel single",
    )


def _unknown(word: str, machine: Machine, where: str) -> ToolError:
    labels = sorted(machine.labels, key=_as_number) if machine.is_round else machine.labels
    return ToolError(
        f"{machine.column} {word!r} is not on this machine",
        where=where,
        limit=f"one of {', '.join(labels)}",
        step="correct the line, or name its machine with --wheel",
    )


def _as_number(label: str) -> tuple[int, int]:
    return int(label), len(label)
