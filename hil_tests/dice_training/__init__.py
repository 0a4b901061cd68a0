"""Trains the dice tray's classifier on dice: `python -m hil_tests.dice_training`.

Rendered, trained and quantised with numpy alone. The renderer is not that of the tests
(host_tools/tableemulator/machines/dice_tray/rendering.py), so that those scenes are new to the
classifier. With --data half of the photographs from above are learned too, cut where the reader
looks (photographs.py).
"""
