"""`tabletool demo`: an emulated pit by the wall clock, with its console and some players."""

from tabletools.cli.demo.command import register

__all__ = ["register"]
