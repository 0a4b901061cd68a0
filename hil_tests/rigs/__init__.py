"""Rigs: the places where the firmware runs under test. Each module says what differs from a board.

A missing default rig (wasm) fails; an optional one is left out with the reason.
"""
