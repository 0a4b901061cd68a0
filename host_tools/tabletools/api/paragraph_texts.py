"""What the paragraphs that decided bets rule, in our words, for the pages that show the bets."""

from collections.abc import Iterable, Mapping
from typing import Any

from tabletools.api.answers import Answer
from tabletools.rulebook import TITLES, paragraphs


class Paragraph(Answer):
    """A paragraph that decided a bet. line: its first line in the text of the document."""

    name: str
    rules: str
    document: str
    line: int


def texts_of(bets: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each paragraph that decided one of these bets, in order of the documents."""
    names = {name for bet in bets for name in bet["paragraphs"] or ()}
    return [
        {
            "name": name,
            "rules": each.rules,
            "document": TITLES[each.edition],
            "line": each.line,
        }
        for name, each in paragraphs().items()
        if name in names
    ]
