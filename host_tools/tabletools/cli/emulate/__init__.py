"""`tabletool emulate`: a table without hardware, the shipped firmware with a physical model."""

from tabletools.cli.emulate.emulate_command import register

__all__ = ["register"]
