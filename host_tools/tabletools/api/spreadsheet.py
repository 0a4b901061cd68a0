"""Files for a spreadsheet: CSV by the habits of a country, in which no cell becomes a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Habits(NamedTuple):
    """How a spreadsheet of a country reads CSV."""

    separator: str
    decimal: str


LOCALES = {
    "en": Habits(",", "."),
    "nl": Habits(";", ","),
    "de": Habits(";", ","),
    "el": Habits(";", ","),
}
_BEGINS_A_FORMULA = tuple("=+-@\t\r\n\u2212\uff0b\uff0d\uff1d\uff20|%")
"""OWASP CSV injection, with the wide forms that a spreadsheet converts."""


class Figure(str):
    """A number as text, with a point: "-12.50"."""

    __slots__ = ()


def cents(amount: int) -> Figure:
    """Return whole cents as a number of units."""
    digits = str(abs(amount)).rjust(3, "0")
    return Figure(f"{'-' if amount < 0 else ''}{digits[:-2]}.{digits[-2:]}")


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str]], locale: str) -> str:
    """Return a table as CSV with CRLF, to be sent as UTF-8 with a byte order mark.

    A text that a spreadsheet would read as a formula begins with an apostrophe.
    """
    habits = LOCALES[locale]
    file = io.StringIO()
    writer = csv.writer(file, delimiter=habits.separator, lineterminator="\r\n")
    for row in (head, *rows):
        writer.writerow([_cell(text, habits) for text in row])
    return file.getvalue()


def _cell(text: str, habits: Habits) -> str:
    if isinstance(text, Figure):
        return text.replace(".", habits.decimal)
    plain = text.replace("\x00", "")
    return f"'{plain}" if plain.lstrip().startswith(_BEGINS_A_FORMULA) else plain
