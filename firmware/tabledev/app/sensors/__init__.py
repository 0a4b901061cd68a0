"""The sensors of each role, as reported by a self-test; loaded on demand."""
