"""Physical models of the tables and the people at them; they share no constant with drivers."""
