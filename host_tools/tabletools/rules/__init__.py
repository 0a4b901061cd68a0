"""What games share: bets, limits, verdicts, cards, dice, hands, records of a round.

Pure functions and tables over the standard library and msgspec. This package knows no game by
name, and no frame, port, database or camera; each game is a module of `tabletools.games`.

    bets, verdict, violation, money, limits, selection, declared   of every game
    records, amounts                                               a round as a record
    settlement                                                     what becomes of each stake
    game, table_game                                               a game as a table of bets
    dice, segments, cards, poker, ante, points, stud               what is thrown, spun or dealt
    hands, decks, dealing, misdeal                                 cards in records and from a shoe
"""
