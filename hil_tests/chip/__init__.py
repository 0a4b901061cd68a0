"""The chip as a gate: MicroPython built from source, the shipped program on it, its figures."""
