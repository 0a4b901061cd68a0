"""Prints why frames are refused, for the commands that show what a line carries."""

import sys

from tabletools.capture import LikelyCause


def print_cause(cause: LikelyCause, *, quiet: bool) -> None:
    """Print the cause and the next step. quiet: on standard error."""
    where = sys.stderr if quiet else sys.stdout
    print(f"likely cause: {cause.text}\nnext step: {cause.step}", file=where)
