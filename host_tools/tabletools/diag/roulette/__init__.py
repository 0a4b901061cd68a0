"""Whether a roulette wheel is mounted, wired and configured as WIRING.md has it: the walk."""
