"""Runs before main.py on every boot; the controller needs nothing from it."""
