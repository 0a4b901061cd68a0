"""Trains the dice tray's classifier on rendered dice: `python -m hil_tests.dice_training`.

Rendered, trained and quantised with numpy alone; no photograph is looked at. The renderer is not
that of the tests (hil_tests/emulators/die.py), so that those scenes are new to the classifier.
"""
