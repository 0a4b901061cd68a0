"""A casino table as one typed value, owned by the host that leases it.

`state` is the value; `loading` reads it from the database once a lease; `shell` runs a
transaction on it; `intake` writes what its machine sends (`frames`), and `judging`, `bet_windows`
and `settling` say what a record changes in it. `slips` and `game_rounds` are its bets as its game
reads and settles them, by its `terms`.
"""
