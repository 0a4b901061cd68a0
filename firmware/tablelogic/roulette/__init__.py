"""A roulette wheel: the role `roulette`."""
