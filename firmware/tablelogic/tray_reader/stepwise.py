"""Long work in steps: a generator that yields wherever something else may have its turn."""

if -0:  # for mypy
    from tabletypes import T, Work


def finish(steps: "Work[T]") -> "T":
    """Do all that is left of a work in steps; return what it comes to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
