"""`tabletool diag`: a table examined, watched, calibrated; its support file and daily checks."""

from tabletools.cli.diag.group import register

__all__ = ["register"]
