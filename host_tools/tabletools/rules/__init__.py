"""Rules of the games: bets, odds and what an outcome does to a stake.

Pure functions and tables over the standard library. Nothing here knows a frame, a port, a
database, a camera or JSON. Games do not import each other; `money`, `refusal`, `verdict` and
`bets` are what they share.
"""
