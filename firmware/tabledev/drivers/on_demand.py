"""A function of extras that needs no memory before it is called, nor does the board's data."""


def on_demand(load_board: object, name: str, *first: object) -> object:
    """Return a function that calls extras.<name> with the board, `first` and its arguments."""

    def call(*args: object) -> object:
        from . import extras

        return getattr(extras, name)(load_board(), *first, *args)

    return call
