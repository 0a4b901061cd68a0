"""Report in one line at the end of the run what this machine lacks and which tests it skipped."""

import os

# What is missing: what was left out, and how to get it.
LEFT_OUT: dict[str, str] = {}


def leave_out(missing: str, what: str, how: str) -> None:
    """Note tests that cannot run here. In continuous integration that is an error."""
    if os.environ.get("CI"):
        raise RuntimeError(f"no {missing} here, needed for {what}; get it with: {how}")
    LEFT_OUT[missing] = f"{what} (get it with: {how})"
