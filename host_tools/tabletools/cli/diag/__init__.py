"""`tabletool diag`: examines, watches and calibrates a table; support file and daily checks."""

from tabletools.cli.diag.group import register

__all__ = ["register"]
