# mypy: ignore-errors
"""The emulated camera of a port that has one: the harness says what it sees, frame by frame."""

import _host
from uctypes import addressof


class Camera:
    """Frames of width * height greys."""

    def __init__(self, width, height):
        self._size = width * height
        self._after = 0

    def start(self):
        """Wait for the next frame that comes from now on."""
        self._after = _host.camera_frames()

    def readinto(self, buffer):
        """Fill the buffer with the frame that came since start(); its size, 0 while none came."""
        if _host.camera_frames() == self._after:
            return 0
        return _host.camera_read(addressof(buffer), min(self._size, len(buffer)))

    def close(self):
        pass
