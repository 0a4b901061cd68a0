"""Runs first at every boot: no Control-C until main.py says so (tabledev/drivers/console.py)."""

import micropython

micropython.kbd_intr(-1)
