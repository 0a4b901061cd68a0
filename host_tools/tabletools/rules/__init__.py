"""Rules of the games: bets, odds and what an outcome does to a stake.

Pure functions and tables over the standard library. This package knows no frame, port, database,
camera or JSON. Games do not import each other; `money`, `violation`, `verdict`, `bets` and
`limits` are shared by all games, `selection` and `game` by all but roulette, `dice` and `cards` by
the games played with those, `ante` and `poker` by the poker games.
"""
