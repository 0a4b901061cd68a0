"""Trains the host's network of dice: `python -m hil_tests.dice_training.maps`. Needs PyTorch.

Scenes are rendered while it trains (scenes.py, on grounds.py) and seen again mirrored, turned and
worn again (pool.py). Half of the photographs from above are mixed in (photograph_scenes.py), in
a second run with their pips (photograph_pips.py).
"""
