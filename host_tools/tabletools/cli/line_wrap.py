"""Lines for a terminal: broken at words, the rest below the column in which the text began."""

import re

_COLUMN = re.compile(r"(?<=\S) {2,}(?=\S)")
_WORD = re.compile(r" *\S+")
# What a program reads, also where it is shown: a line of JSON stays one line.
_JSON = ("{", "[", '"')
# An example of the help: a shell takes what is copied, when each line but the last ends so.
_EXAMPLE = re.compile(r" +(echo|tabletool) ")
_GOES_ON = " \\"
_INDENT = 2


def wrapped(line: str, width: int) -> str:
    """Return a line without its end, broken so that each piece has at most `width` characters.

    It is broken at spaces only: a word that is longer than a piece stays whole. The pieces after
    the first are indented as the last column of the line is, if that begins in its first half.
    """
    if len(line) <= width or line.startswith(_JSON):
        return line
    indent = " " * _indent_of(line, width)
    end = _GOES_ON if _EXAMPLE.match(line) else ""
    pieces, piece = [], ""
    for match in _WORD.finditer(line):
        word = match[0]
        if piece.strip() and len(piece) + len(word) > width - len(end):
            pieces.append(piece + end)
            piece = indent + word.lstrip()
        else:
            piece += word
    return "\n".join([*pieces, piece])


def _indent_of(line: str, width: int) -> int:
    begins = [match.end() for match in _COLUMN.finditer(line) if match.end() <= width // 2]
    return begins[-1] if begins else len(line) - len(line.lstrip()) + _INDENT
