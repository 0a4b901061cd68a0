"""Poker without the bank: betting, pots and rake, and the rules of the floor."""

from tabletools.games.poker_room.poker_hand import GAME, GAMES

__all__ = ["GAME", "GAMES"]
