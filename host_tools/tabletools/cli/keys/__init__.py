"""`tabletool keys`: the keys of the tables, on this host and in the tables."""

from tabletools.cli.keys.keys_command import register

__all__ = ["register"]
