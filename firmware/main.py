"""Puts board, drivers and app together and plays. Nothing may follow the last line.

The board's data is the file board.py next to this one, from boards/<board>/.
"""

import board

from tabledev.app.tasks import run
from tabledev.drivers.wiring import build
from tabledev.edges import EdgeRing

run(build(board, EdgeRing()))
