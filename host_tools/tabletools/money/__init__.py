"""Money: accounts and postings, cash, jackpot meters, held payouts, and what a game makes of bets."""
