"""Pins of the emulated board (boards/emulated/WIRING.md); each role names its inputs."""

INPUTS = (2, 3, 4, 5, 6, 7, 27, 28)
BUTTON, TILT, DOME, MAINTENANCE = 8, 9, 10, 21
CONTACTS = (BUTTON, TILT, DOME, MAINTENANCE)
# Input of the converter, and the serial port beside the one to the host.
ANALOG = 26
PORT = 1
