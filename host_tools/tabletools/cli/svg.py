"""Terminal output as a picture for the documents."""

import io
import re
from pathlib import Path

from rich.console import Console


def recording(width: int) -> Console:
    """An invisible terminal with that many columns."""
    return Console(width=width, record=True, file=io.StringIO())


def save_svg(console: Console, title: str, file: Path) -> None:
    """Write the recorded output as SVG."""
    svg = console.export_svg(title=title)
    # Rich makes the reader's browser load a font; the local monospaced one is enough.
    file.write_text(re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL), encoding="utf-8")
