"""Shows the steps of long work: a bar on a terminal, one line each elsewhere."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tabletools.cli.report import is_json
from tabletools.cli.standard_streams import drawing, is_drawable

# Shows that a step begins; returns its text.
ShowStep = Callable[[str], str]


@contextmanager
def progress(steps: int) -> Iterator[ShowStep]:
    """Yield a function to call at the start of each step; a report in JSON has no steps."""
    if is_json():
        yield lambda what: what
        return
    if not is_drawable():
        yield _lines(steps)
        return
    with Progress() as bar:
        task = bar.add_task("", total=steps)

        def show(what: str) -> str:
            bar.update(task, description=what)
            bar.advance(task)
            return what

        yield show


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that work goes on, with the seconds it has taken; elsewhere nothing."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(file=drawing(sys.stderr))
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        bar.add_task(what, total=None)
        yield


def counted(what: str, noun: str = "pieces") -> Callable[[int, int], None]:
    """Return a function that shows how many pieces are done, on a terminal; elsewhere nothing.

    what: was done with them. noun: what they are.
    """
    if not sys.stderr.isatty():
        return lambda done, all_: None
    return lambda done, all_: print(
        f"\r{what} {done} of {all_} {noun}",
        end="\n" if done == all_ else "",
        file=drawing(sys.stderr),
    )


def _lines(steps: int) -> ShowStep:
    numbers = count(1)

    def show(what: str) -> str:
        print(f"{next(numbers)}/{steps} {what}", flush=True)
        return what

    return show
