"""Rules of the games: bets, odds and what an outcome does to a stake.

Pure functions and tables over the standard library. Nothing here knows a frame, a port, a
database, a camera or JSON. Games do not import each other; `money`, `refusal`, `verdict`, `bets`
and `limits` are what all share, `selection` and `game` what all but roulette share, `dice` and
`cards` what those games share, `ante` and `poker` what the poker games do.
"""
