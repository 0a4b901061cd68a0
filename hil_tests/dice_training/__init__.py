"""Trains the host's network of dice: see `maps`."""
