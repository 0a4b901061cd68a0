"""Spins of one machine from a CSV file, split where the machine was moved.

Columns: that of the machine (pocket, segment or dice); optional wheel (its name), round (rising
numbers: only with it is the order known to be that of play), moved (1 in the first spin after it
was moved or levelled), drop_deg (where the ball left the rim, degrees clockwise). A row without a
result is a void round.
"""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tabletools.audit.audit_machines import Machine
from tabletools.errors import ToolError

_YES = {"1", "true", "yes"}
_NO = {"", "0", "false", "no"}


@dataclass
class Spins:
    """Results since the last move, in order, as indexes in Machine.labels.

    voids: rows without a result. moves: how often it was moved before. before: results before
    that. round: the number of the last one, None when the order of play is not known.
    """

    wheel: str
    places: list[int] = field(default_factory=list)
    drops_deg: list[float] = field(default_factory=list)
    voids: int = 0
    moves: int = 0
    before: int = 0
    round: int | None = None

    def move(self) -> None:
        """Start again: the machine was moved."""
        self.moves += 1
        self.before += len(self.places)
        self.places.clear()
        self.drops_deg.clear()


def read_spins(path: Path, machine: Machine) -> list[Spins]:
    """Return the spins of each wheel named in the file, in order of its first row.

    Raises ToolError naming the line.
    """
    spins_by_name: dict[str, Spins] = {}
    for number, row in _rows(path, machine):
        name = (row.get("wheel") or "").strip()
        spins = spins_by_name.setdefault(name, Spins(name))
        _add(spins, row, machine, f"{path}, line {number}")
    if not any(spins.places for spins in spins_by_name.values()):
        raise ToolError(
            "there are no results to audit", where=str(path), step="give a file with played rounds"
        )
    return list(spins_by_name.values())


def _rows(path: Path, machine: Machine) -> Iterator[tuple[int, dict[str, str | None]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            reader = csv.DictReader(file, delimiter=max(",;\t", key=head.count))
            names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
            if machine.column not in names:
                columns = ", ".join(map(repr, names))[:200] or "nothing"
                raise ToolError(
                    f"there is no column {machine.column!r}",
                    where=f"{path}, line 1",
                    limit=f"found: {columns}",
                    step=f"name the column of results {machine.column!r}",
                )
            reader.fieldnames = names
            for row in reader:
                yield reader.line_num, row
    except OSError as error:
        what = f"cannot read the spins: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(path), step="check the name") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ToolError(
            "this is not a CSV file",
            where=str(path),
            cause=str(error),
            step="save it as CSV in UTF-8",
        ) from error


def _add(spins: Spins, row: dict[str, str | None], machine: Machine, where: str) -> None:
    moved = (row.get("moved") or "").strip().lower()
    if moved not in _YES | _NO:
        raise ToolError(f"moved is {moved!r}", where=where, limit="1 or empty", step="correct it")
    if moved in _YES:
        spins.move()
    if "round" in row:
        spins.round = _after(spins.round, (row["round"] or "").strip(), where)
    words = (row.get(machine.column) or "").split()
    if not words:
        spins.voids += 1
        return
    if machine.is_round and len(words) > 1:
        raise _unknown(" ".join(words), machine, where)
    for word in words:
        if word not in machine.labels:
            raise _unknown(word, machine, where)
        spins.places.append(machine.labels.index(word))
    drop = (row.get("drop_deg") or "").strip()
    if drop:
        spins.drops_deg.append(_degrees(drop, where))


def _after(last: int | None, word: str, where: str) -> int:
    if not word.isascii() or not word.isdecimal() or (last is not None and int(word) <= last):
        limit = "a whole number" if last is None else f"more than {last}"
        raise ToolError(
            f"round is {word!r}",
            where=where,
            limit=limit,
            step="sort the rounds of each wheel, or leave the column out",
        )
    return int(word)


def _unknown(word: str, machine: Machine, where: str) -> ToolError:
    return ToolError(
        f"{machine.column} {word!r} is not on this machine",
        where=where,
        limit=f"one of {', '.join(sorted(machine.labels, key=_as_number))}",
        step="correct the line, or name its machine with --wheel",
    )


def _as_number(label: str) -> tuple[int, int]:
    return int(label), len(label)


def _degrees(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not -360 <= value <= 360:
        raise ToolError(
            f"drop_deg is {word!r}", where=where, limit="-360 to 360 degrees", step="correct it"
        )
    return value
