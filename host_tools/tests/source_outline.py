"""Every paragraph of the rule documents with its line, found by the form of their texts.

`python host_tools/tests/source_outline.py FOLDER` reads the texts, which are not in the
repository, and writes the outline that is. Each document numbers its paragraphs in its own way;
nothing here knows what the host makes of them.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

FILE = Path(__file__).with_name("source_outline.txt")
SOURCES = {
    "hc2023": "000_ba334ff254332189.txt",
    "hc2011": "001_d63592258d747598.txt",
    "gr2003": "002_c704e9619eb63c09.txt",
    "oostende2011": "003_c545351bbe7160a4.txt",
    "de-live": "004_2650785619095a1c.txt",
}
"""The text of each document, by edition."""
Paragraphs = Iterator[tuple[str, int]]


def holland_casino(lines: list[str]) -> Paragraphs:
    """Articles `Artikel 2:2` or `Section 2:2` after the contents, paragraphs `1.` in order.

    The last article has one paragraph without a number.
    """
    article, number = "", 0
    for line, text in enumerate(lines, 1):
        if head := re.match(r"(?:Artikel|Section) (\d:\d) [^\t.]+$", text):
            article, number = head[1], 0
        elif article and (row := re.match(r"(\d+)\.\s", text)) and int(row[1]) == number + 1:
            number += 1
            yield f"{article}({number})", line
        elif article and number == 0 and text.startswith(("Het Holland", "The Secretary")):
            yield article, line


def greek(lines: list[str]) -> Paragraphs:
    """Paragraphs `1.`, parts `α)` and `(1)`; a paragraph or part with parts is not one itself."""
    paragraphs: list[tuple[str, int]] = []
    paragraph, part = "", ""
    for line, text in enumerate(lines, 1):
        if row := re.match(r"(\d+)\. ", text):
            paragraph, part = f"§{row[1]}", ""
            paragraphs.append((paragraph, line))
        elif paragraph in ("§5", "§6", "§9", "§10") and (row := re.match(r"([αβγ])\) ", text)):
            part = paragraph + row[1]
            paragraphs.append((part, line))
        elif part and (row := re.match(r"\((\d)\)\s", text)):
            paragraphs.append((f"{part}({row[1]})", line))
    names = [name for name, _ in paragraphs]
    return (
        (name, line)
        for name, line in paragraphs
        if not any(f"{name}{mark}" in names for mark in ("α", "(1)"))
    )


def oostende(lines: list[str]) -> Paragraphs:
    """Chapters `## **1.`; in chapter 2 headings `### 4.`, in the others numbers at the margin.

    The line of a heading is that of the first text below it.
    """
    chapter, waiting = 0, ""
    for line, text in enumerate(lines, 1):
        plain = text.replace("*", "").replace("#", "").strip()
        if text.startswith("#") and (row := re.match(r"(\d+)\.\s*(.*)", plain)):
            number = int(row[1])
            if chapter == 2 and not row[2].startswith("Regels"):
                waiting = f"2.{number}"
            else:
                chapter = number
        elif waiting and text:
            yield waiting, line
            waiting = ""
        elif chapter not in (0, 2) and (row := re.match(r"(\d+)\. ", text)):
            yield f"{chapter}.{row[1]}", line


def de_live(lines: list[str]) -> Paragraphs:
    """Chapters by name; sections `1.2` and `1.2.1`; a section with parts is not one itself."""
    short = {"Baccarat": "Bac", "Blackjack": "BJ", "Roulette": "Roul"}
    chapter = ""
    lines_by_number: dict[str, int] = {}
    for line, text in enumerate(map(str.strip, lines), 1):
        if text in short:
            chapter = short[text]
        elif chapter and (row := re.match(r"(\d\.\d(?:\.\d)?),?(?:\s|$)", text)):
            lines_by_number[f"{chapter} {row[1]}"] = line
    for name, line in lines_by_number.items():
        if f"{name}.1" not in lines_by_number:
            yield name, line


OUTLINES: dict[str, Callable[[list[str]], Paragraphs]] = {
    "hc2023": holland_casino,
    "hc2011": holland_casino,
    "gr2003": greek,
    "oostende2011": oostende,
    "de-live": de_live,
}


def outline(folder: Path) -> Iterator[str]:
    """Yield a line for each paragraph of all documents."""
    for edition, name in SOURCES.items():
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        yield from (
            f"{edition} {paragraph}\t{line}" for paragraph, line in OUTLINES[edition](lines)
        )


def recorded() -> dict[str, int]:
    """Return the line of each paragraph, by edition and name, as it is in the repository."""
    rows = FILE.read_text(encoding="utf-8").splitlines()
    return {name: int(line) for name, line in (row.split("\t") for row in rows)}


if __name__ == "__main__":
    FILE.write_text("".join(f"{row}\n" for row in outline(Path(sys.argv[1]))), encoding="utf-8")
