"""The frozen modules of an image: `make FROZEN_MANIFEST=<here>/manifest.py` in a MicroPython port.

The board's data stays a file: copy boards/<board>/board.py to the flash as board.py. The names
used here are defined by MicroPython's makemanifest.
"""
# ruff: noqa: F821

include("$(PORT_DIR)/boards/manifest.py")  # the port's own: asyncio among it
package("tablewire", base_path="../protocol")
package("tablelogic")
package("tabledev")
module("boot.py")
module("main.py")
