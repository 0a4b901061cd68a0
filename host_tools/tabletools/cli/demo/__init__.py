"""`tabletool demo`: an emulated pit in real time, with its console and some players."""

from tabletools.cli.demo.demo_command import register

__all__ = ["register"]
