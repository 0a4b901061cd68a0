"""Money beside the tables: cash, meters, held payouts, days, external wallets, what is listed."""
