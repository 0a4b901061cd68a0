"""Writes docs/PARAGRAPHS.md: `python -m tabletools.rulebook.documents [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tabletools.generated import write_or_check
from tabletools.rulebook import TITLES, Paragraph, paragraphs

FILE = Path(__file__).resolve().parents[2] / "docs" / "PARAGRAPHS.md"
_HEAD = """\
# Every paragraph of the rule documents

What each paragraph rules, in our words, and where it is: the code that does it and the test that
shows it, or why it is not implemented. `tabletool explain "hc2023 2:2(1)"` prints one. Lines are
those of the text of the document. Code is below `host_tools/tabletools`, or below the repository
if it is firmware. Generated: `make gen`.
"""


def _where(paragraph: Paragraph) -> str:
    """Return code and test, or the reason for none, or both."""
    parts = []
    if paragraph.code:
        parts.append(f"`{paragraph.code}`, `{paragraph.test}`")
    if paragraph.missing:
        parts.append(f"not implemented, because {paragraph.missing}")
    return "; ".join(parts)


def page() -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD
    for edition, title in TITLES.items():
        rows = [each for each in paragraphs().values() if each.edition == edition]
        count = sum(each.code is not None for each in rows)
        yield f"## {edition}\n\n{title}: {len(rows)} paragraphs, {count} with code.\n"
        yield "| paragraph | line | rules | code and test, or why not |"
        yield "|---|---|---|---|"
        for each in rows:
            yield f"| {each.name} | {each.line} | {each.rules} | {_where(each)} |"
        yield ""


def main(arguments: list[str]) -> int:
    """Write or check the page; returns the exit code."""
    text = "\n".join(page()).rstrip("\n") + "\n"
    stale = "documents: host_tools/docs/PARAGRAPHS.md: run `make gen`, commit it"
    return write_or_check(arguments, FILE, text, stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
