"""The logic of a money wheel (Big Wheel)."""
