"""Files that are generated from the code and committed: written, or checked to be current."""

from collections.abc import Sequence
from pathlib import Path


def write_or_check(arguments: Sequence[str], file: Path, text: str, stale: str) -> int:
    """Write a generated file, or with --check only compare it; returns the exit code.

    stale: printed where --check finds another text in the file.
    """
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in arguments:
        print(stale)
        return 1
    file.write_text(text, encoding="utf-8")
    return 0
