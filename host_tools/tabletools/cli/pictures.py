"""What a terminal shows, as a picture for the documents."""

import io
import re
from pathlib import Path

from rich.console import Console


def recording(width: int) -> Console:
    """A terminal of that many columns that nobody sees."""
    return Console(width=width, record=True, file=io.StringIO())


def save_svg(console: Console, title: str, file: Path) -> None:
    """Write what was shown on it as SVG."""
    svg = console.export_svg(title=title)
    # Rich has the reader's browser fetch a font; the local monospaced one will do.
    file.write_text(re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL), encoding="utf-8")
