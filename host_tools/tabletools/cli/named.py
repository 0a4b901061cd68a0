"""Checks of tables, rounds and users named on a command line."""

from tabletools.errors import ToolError

MOST_NUMBER = 0xFFFFFFFF
"""Serial numbers and rounds have 32 bits on the wire."""
MOST_NAME, MOST_TEXT = 60, 500


def verify_text(option: str, text: str, most: int, what: str) -> None:
    """Raise ToolError for a text that is empty, too long or not printable.

    what: what is required, in words.
    """
    if not text.strip():
        raise ToolError(f"{what} is needed", where=option, step=f"give {option} a text")
    if len(text) > most:
        raise ToolError(
            f"{what} has {len(text)} characters",
            where=option,
            limit=f"at most {most}",
            step="write less",
        )
    if not text.isprintable():
        raise ToolError(
            f"{what} has characters that cannot be shown: {text[:40]!a}",
            where=option,
            step="leave out control characters, and write it in UTF-8",
        )
