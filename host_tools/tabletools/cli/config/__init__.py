"""`tabletool config`: the values a table plays by, read, compared, set, with who changed them."""

from tabletools.cli.config.commands import register

__all__ = ["register"]
