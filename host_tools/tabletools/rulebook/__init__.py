"""The paragraphs of the five rule documents: what each rules, and where that is implemented.

One TOML file a document. Knows no game: which paragraph decides a bet is written where the bet is
settled, and cited by the names used here.
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from tabletools.errors import ToolError

TITLES: Mapping[str, str] = {
    "hc2023": "Holland Casino, Spelreglement, November 2023",
    "hc2011": "Holland Casino, Game Rules, December 2011",
    "gr2003": "Greek ministerial decision T/6736/2003, article 18",
    "oostende2011": "Casino Kursaal Oostende, House Rules Pokerroom, February 2011",
    "de-live": "Live-dealer rules for Baccarat, Blackjack and Roulette",
}
"""Title of each document, by edition."""
_SHOWN = 60
"""Characters of a citation that an error repeats."""


class Paragraph(NamedTuple):
    """One paragraph of a document."""

    edition: str
    name: str
    """Within its document, as it is cited: `2:2(1)`."""
    line: int
    """Its first line in the text of the document."""
    rules: str
    """What it rules, in our words."""
    code: str | None
    """The file that does it: below `tabletools`, or below the repository if it is firmware."""
    test: str | None
    """The test file that shows it, without its suffix."""
    missing: str | None
    """What is not implemented of it, and why; of all of it where there is no code."""

    @property
    def citation(self) -> str:
        """Edition and name, as a settlement cites it."""
        return f"{self.edition} {self.name}"


@cache
def paragraphs() -> Mapping[str, Paragraph]:
    """Return every paragraph as it is cited, in order of the documents."""
    return {
        paragraph.citation: paragraph
        for edition in TITLES
        for paragraph in (_read(edition, *row) for row in _rows(edition))
    }


def _rows(edition: str) -> list[tuple[str, list[Any]]]:
    text = files(__name__).joinpath(f"{edition}.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text).items())


def _read(edition: str, name: str, row: list[Any]) -> Paragraph:
    """row: line, rules, then code and test, or the reason why there are none, or all three."""
    line, rules, *rest = row
    code, test = (rest[0], rest[1]) if len(rest) > 1 else (None, None)
    missing = rest[-1] if len(rest) != 2 else None
    return Paragraph(edition, name, line, rules, code, test, missing)


def find(citation: str) -> tuple[Paragraph, ...]:
    """Return the paragraph of a citation, or all those of an article: `hc2023 3:2`, `gr2003 §9`.

    Raises ToolError with the nearest ones.
    """
    words = " ".join(citation.split())
    known = paragraphs()
    if words in known:
        return (known[words],)
    matches = tuple(each for name, each in known.items() if _is_within(name, words))
    if matches:
        return matches
    near = get_close_matches(words, known, n=3, cutoff=0.0)
    raise ToolError(
        f"no paragraph {citation[:_SHOWN]!r}: did you mean {', '.join(near)}?",
        limit=f"documents {', '.join(TITLES)}",
        step="see docs/PARAGRAPHS.md for all of them",
    )


def _is_within(name: str, article: str) -> bool:
    """Whether a paragraph is of an article or chapter: the name goes on where a part begins."""
    rest = name.removeprefix(article)
    return rest != name and not rest[0].isdigit() and not article[-1].isspace()


def is_citation(text: str) -> bool:
    """Whether a text begins with the edition of a document."""
    return text.split(" ", 1)[0] in TITLES


def as_record(paragraph: Paragraph) -> dict[str, Any]:
    """One paragraph as JSON-ready data."""
    return {
        "paragraph": paragraph.citation,
        "document": TITLES[paragraph.edition],
        "line": paragraph.line,
        "rules": paragraph.rules,
        "code": paragraph.code,
        "test": paragraph.test,
        "not_implemented": paragraph.missing,
    }


def as_text(paragraph: Paragraph) -> list[str]:
    """Return one paragraph as text lines."""
    lines = [
        paragraph.citation,
        f"  rules:    {paragraph.rules}",
        f"  source:   {TITLES[paragraph.edition]}, line {paragraph.line}",
    ]
    if paragraph.code:
        lines.append(f"  code:     {paragraph.code}, {paragraph.test}")
    if paragraph.missing:
        lines.append(f"  not done: {paragraph.missing}")
    return lines
