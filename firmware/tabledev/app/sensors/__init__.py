"""The sensors of each role, as a self test tells them; loaded when one is asked for."""
