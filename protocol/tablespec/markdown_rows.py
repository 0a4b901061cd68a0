"""Rows of Markdown tables. A list too long for a line continues in the rows below its row."""

from collections.abc import Iterator

_MOST = 118
"""Characters of a row."""


def rows(*cells: str, long: int = -1) -> Iterator[str]:
    """Yield a row of a table.

    long: place of the cell that may be too long, names with commas between them. Its rest is in
    rows whose other cells are empty.
    """
    columns = list(cells)
    names = columns[long].split(", ")
    while names:
        columns[long] = names.pop(0)
        while names and len(_row(columns)) + len(f", {names[0]}") <= _MOST:
            columns[long] += f", {names.pop(0)}"
        yield _row(columns)
        columns = [""] * len(columns)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
