"""A played session: players, a house that believes only the table, and the books at the end."""

from tabletools.play.game import Game
from tabletools.play.house import Felt
from tabletools.play.players import seeded_players, wishes_of
from tabletools.play.screen import Screen

__all__ = ["Felt", "Game", "Screen", "seeded_players", "wishes_of"]
