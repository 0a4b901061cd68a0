"""A night of a whole pit from one seed: tables, lines, hosts, ledger, sinks, people and faults.

Everything runs in virtual time and in one order, so the same seed gives the same log, byte for
byte. `world` is the loop; the parts know the time they are given and draw from a source of their
own, made of the seed and their name.
"""
