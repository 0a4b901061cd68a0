"""The option --plot: writes a picture in one of the formats, and replaces no other file."""

from collections.abc import Sequence
from pathlib import Path

from tabletools.errors import ToolError
from tabletools.private_file import verify_free


def verify_plot(plot: Path | None, formats: Sequence[str], *, force: bool) -> None:
    """Raise ToolError for a file of another format, or one that exists and may not be replaced.

    formats: endings, such as ".png". None means no picture, and is valid.
    """
    if plot is None:
        return
    if plot.suffix not in formats:
        raise ToolError(
            f"cannot draw {plot.suffix or 'a file without an ending'}",
            where=f"--plot {plot}",
            limit=" or ".join(formats),
            step="name the file so",
        )
    verify_free(plot, force=force)
