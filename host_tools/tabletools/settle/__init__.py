"""Rounds as JSON Lines: from bets and an outcome to one line per bet about its stake.

`json_lines` and `schema` are the interface to every game of `tabletools.games`, `sentences` says a
settlement in words; `boxes` and `dealer_record` make whole card rounds of what was entered. What
settles a bet is `rules.settlement`. Nothing here knows a game by name.
"""
