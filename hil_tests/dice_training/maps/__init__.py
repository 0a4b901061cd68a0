"""Trains the host's two networks: `python -m hil_tests.dice_training.maps`. Needs PyTorch.

Scenes are rendered while it trains (scenes.py, on grounds.py), half of the photographs from above
are mixed in for the network of places (photographs.py), none for that of pips.
"""
