"""A played session: players, a house that believes only the table, and the books at the end."""

from tabletools.play.game import Game
from tabletools.play.players import seeded_players
from tabletools.play.screen import Screen

__all__ = ["Game", "Screen", "seeded_players"]
