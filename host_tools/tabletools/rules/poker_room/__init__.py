"""Poker room of the Casino Kursaal Oostende, oostende2011 (rulebook 11): the computable rules."""
