"""Rigs: the places where the firmware runs under test, besides the emulated board.

Each module says what differs from a board. The emulated board (tableemulator.board.wasm) is the
default and has to be there; an optional rig is left out with the reason.
"""
