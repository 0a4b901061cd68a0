"""Writes docs/PARAGRAPHS.md: `python -m tabletools.rulebook.paragraphs_page [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import sys
import textwrap
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
_WIDTH = 99


def _entry(paragraph: Paragraph) -> Iterator[str]:
    """The lines of a paragraph: what it rules, its code and test, why it has none."""
    yield from _item("- ", f"**{paragraph.name}**, line {paragraph.line}: {paragraph.rules}")
    if paragraph.code:
        yield from _item("  - ", f"`{paragraph.code}`, `{paragraph.test}`")
    if paragraph.missing:
        yield from _item("  - ", f"not implemented, because {paragraph.missing}")


def _item(mark: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )


def page() -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD
    for edition, title in TITLES.items():
        rows = [each for each in paragraphs().values() if each.edition == edition]
        count = sum(each.code is not None for each in rows)
        yield f"## {edition}\n\n{title}: {len(rows)} paragraphs, {count} with code.\n"
        for each in rows:
            yield from _entry(each)
        yield ""


def main(arguments: list[str]) -> int:
    """Write or check the page; returns the exit code."""
    text = "\n".join(page()).rstrip("\n") + "\n"
    stale = "documents: host_tools/docs/PARAGRAPHS.md: run `make gen`, commit it"
    return write_or_check(arguments, FILE, text, stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
