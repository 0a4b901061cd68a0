"""Money: accounts and postings, cash, jackpot meters, held payouts, bets as a game reads them."""
