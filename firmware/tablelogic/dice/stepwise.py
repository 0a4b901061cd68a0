"""Long work in steps: a generator that yields wherever something else may have its turn.

Between two steps nothing of the work may be touched; an abandoned one leaves nothing to undo.
Each step is meant to take at most 20 ms on the VM; the longest is measured by host_tools/bench.
"""

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import T, Work

CELLS = const(600)  # cells of a picture looked at in one step


def finish(steps: "Work[T]") -> "T":
    """Do all that is left of a work in steps; return what it comes to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
