"""Emulated tables: the shipped firmware on an emulated board, with a machine and its people.

`board` is the board: a MicroPython VM in virtual time. `machines` has a physical model for each
role, what people do there, and what goes wrong. The modules beside them put both together.
"""
