"""A camera with a module in the port: `camera.Camera`, which fills a buffer with greys."""

from camera import Camera


class PortCamera:
    """See hal. frame: width * height bytes and four more."""

    def __init__(self, width: int, height: int, frame: bytearray) -> None:
        self.frame = frame
        self._camera = Camera(width, height)
        self._pixels = memoryview(frame)[: width * height]

    def start(self) -> None:
        """Start to take a frame."""
        self._camera.start()

    def poll(self) -> bool:
        """Whether it is complete."""
        return self._camera.readinto(self._pixels) == len(self._pixels)

    def close(self) -> None:
        """Release the camera."""
        self._camera.close()
