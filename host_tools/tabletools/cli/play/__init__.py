"""`tabletool play`: a round of each role on the emulated board, from the sensors to the books."""

from tabletools.cli.play.play_command import register

__all__ = ["register"]
