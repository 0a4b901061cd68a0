"""Writes the bill of materials from parts.toml: the table of HARDWARE.md, and bill.csv.

python boards/bill.py            write them again
python boards/bill.py --check    say which are out of date (exit code 1)
"""

import csv
import io
import sys
import tomllib
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from board_files import HERE, BoardError
from circuits import ROLES

PARTS = HERE / "parts.toml"
CSV = HERE / "bill.csv"
PAGE = HERE.parent / "host_tools" / "docs" / "HARDWARE.md"
BEGIN, END = "<!-- bill: begin -->\n", "<!-- bill: end -->\n"
_TEXTS = ("part", "maker", "number", "alternative", "must", "verified")
_NOT = "no: "


@dataclass(frozen=True)
class Line:
    """A part to buy.

    Attributes:
        maker: of the number, or who sells it.
        alternative: another number, its maker in brackets or before it.
        must: what it has to do.
        verified: what a page shows of the number, and where; from "no: " on what to look up.
        price_eur: of one, its order of magnitude.
        quantity: by role.
    """

    part: str
    maker: str
    number: str
    alternative: str
    must: str
    verified: str
    price_eur: Decimal
    quantity: dict[str, int]


def bill(file: Path = PARTS) -> list[Line]:
    """Return the lines. Raises BoardError for one that is incomplete."""
    rows = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal).get("line", [])
    return [_line(row, f"{file.name}, line {number}") for number, row in enumerate(rows, 1)]


def _line(row: dict[str, Any], where: str) -> Line:
    for name in _TEXTS:
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise BoardError(f"{where}: {name} is missing; every line has {', '.join(_TEXTS)}")
    for name in ("number", "alternative"):
        if not any(letter.isdigit() for letter in row[name]):
            raise BoardError(
                f"{where}: {name} is {row[name]!r}; it is a number that can be ordered"
            )
    price = Decimal(row.get("price_eur", 0))
    if price <= 0:
        raise BoardError(f"{where}: price_eur is {price}; it is more than 0")
    quantity = row.get("quantity", {})
    if set(quantity) != set(ROLES):
        raise BoardError(f"{where}: quantity names {sorted(quantity)}; it names {sorted(ROLES)}")
    if min(quantity.values()) < 0 or not any(quantity.values()):
        raise BoardError(
            f"{where}: quantity is {quantity}; some role needs one, none fewer than 0"
        )
    texts = {name: row[name] for name in _TEXTS}
    return Line(**texts, price_eur=price, quantity=quantity)


def totals(lines: list[Line]) -> dict[str, int]:
    """Return what the parts of each role cost, in whole EUR."""
    sums = {role: sum(line.price_eur * line.quantity[role] for line in lines) for role in ROLES}
    return {
        role: int(Decimal(total).quantize(Decimal(1), ROUND_HALF_UP))
        for role, total in sums.items()
    }


def table_of(lines: list[Line]) -> str:
    """Return the table of the page."""
    names = [role.replace("_", " ") for role in ROLES]
    rows = [f"| part | maker, number | alternative | verified | EUR | {' | '.join(names)} |"]
    rows.append("|---" * (5 + len(ROLES)) + "|")
    for line in lines:
        counts = " | ".join(str(line.quantity[role] or "-") for role in ROLES)
        number = f"{line.maker} {line.number}"
        start = f"| {line.part} | {number} | {line.alternative} | {_verdict(line)}"
        rows.append(f"{start} | {line.price_eur} | {counts} |")
    sums = totals(lines)
    rows.append(f"| **in all, EUR** | | | | | {' | '.join(str(sums[role]) for role in ROLES)} |")
    return "\n".join(rows) + "\n"


def _verdict(line: Line) -> str:
    """Return whether a page shows what the line says: yes, in part, no."""
    if _NOT not in line.verified:
        return "yes"
    return "no" if line.verified.startswith(_NOT) else "in part"


def csv_of(lines: list[Line]) -> str:
    """Return the bill for a spreadsheet: a line a part, then the totals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_TEXTS, "price_eur", *ROLES])
    for line in lines:
        texts = [getattr(line, name) for name in _TEXTS]
        writer.writerow([*texts, line.price_eur, *(line.quantity[role] for role in ROLES)])
    writer.writerow(["in all", *[""] * 6, *totals(lines).values()])
    return text.getvalue()


def files_of() -> dict[Path, str]:
    """Return the files as they should be. Raises BoardError."""
    lines = bill()
    page = PAGE.read_text(encoding="utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise BoardError(f"{PAGE.name}: {BEGIN.strip()} and {END.strip()} are there once each")
    before, rest = page.split(BEGIN)
    return {
        PAGE: before + BEGIN + table_of(lines) + END + rest.split(END)[1],
        CSV: csv_of(lines),
    }


def main(argv: list[str]) -> int:
    """Write or check the files; return the exit code."""
    files = files_of()
    if argv == ["--check"]:
        old = [
            file for file, text in files.items() if not file.exists() or file.read_text() != text
        ]
        for file in old:
            print(f"bill: error: {file.name}: out of date; write it again with make gen")
        return 1 if old else 0
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
