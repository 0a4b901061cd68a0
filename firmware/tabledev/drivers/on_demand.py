"""A function of extras that takes no memory before it is called."""


def on_demand(name: str, *first: object) -> object:
    """Return a function that calls extras.<name> with `first` before its own arguments."""

    def call(*args: object) -> object:
        from . import extras

        return getattr(extras, name)(*first, *args)

    return call
