"""Jackpots of cards and slots: meters that grow by bets and pay winners, in every edition."""

from tabletools.games.jackpot.jackpot_record import BET, GAME, VARIANTS, starts_of

__all__ = ["BET", "GAME", "VARIANTS", "starts_of"]
