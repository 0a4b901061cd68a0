"""Fuzzing: mutated input for both ends of the wire, led by the lines and branches it reaches.

    python -m hil_tests.fuzz [--minutes M] [--seed S] [--keep] [TARGET ...]

A target is a check of one byte string; what it raises is a crash. Crashes are made small and
written into corpus/, which the tests replay.
"""
