"""A camera the port has a module for: `camera.Camera`, which fills a buffer with greys."""

from camera import Camera


class PortCamera:
    """See hal. frame: width * height bytes and four more."""

    def __init__(self, width: int, height: int, frame: bytearray) -> None:
        self.frame = frame
        self._camera = Camera(width, height)
        self._pixels = memoryview(frame)[: width * height]

    def start(self) -> None:
        """Begin to take a frame."""
        self._camera.start()

    def poll(self) -> bool:
        """Whether it is there."""
        return self._camera.readinto(self._pixels) == len(self._pixels)

    def close(self) -> None:
        """Let go of it."""
        self._camera.close()
