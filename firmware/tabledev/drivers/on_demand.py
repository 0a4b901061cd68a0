"""A function of extras that needs no memory before it is called, nor does the board's data."""

if -0:  # for mypy
    from collections.abc import Callable
    from typing import Any

    from tabletypes import BoardData


def on_demand(load_board: "Callable[[], BoardData]", name: str, *first: "Any") -> "Any":
    """Return a function that calls extras.<name> with the board, `first` and its arguments."""

    def call(*args: "Any") -> "Any":
        from . import extras

        return getattr(extras, name)(load_board(), *first, *args)

    return call
