"""`tabletool config`: reads, compares and sets the configuration of a table, with its author."""

from tabletools.cli.config.config_commands import register

__all__ = ["register"]
