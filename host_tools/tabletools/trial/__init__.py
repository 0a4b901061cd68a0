"""A field trial: a wheel's results beside those of another reader, and what its ball does.

Bets nothing: it compares stored rounds with numbers that a person or another reader wrote down.
"""
