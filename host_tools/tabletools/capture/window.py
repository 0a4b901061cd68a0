"""The end of a stream of stuffed frames, addressed by offset in the stream."""

# A frame with its delimiter is never longer.
_LONGEST = 256


class Window:
    """Stores the bytes that a frame or skip just reported by a Receiver can refer to."""

    def __init__(self) -> None:
        self._bytes = b""
        self._offset = 0

    def add(self, data: bytes) -> None:
        """Take received bytes, and drop everything before the last begun frame."""
        begun = self._bytes.rfind(b"\0") + 1
        surplus = max(begun, len(self._bytes) - _LONGEST)
        self._bytes = self._bytes[surplus:] + data
        self._offset += surplus

    def __len__(self) -> int:
        return len(self._bytes)

    def part(self, offset: int, length: int) -> bytes:
        """The bytes there; of a run longer than any frame only the end remains."""
        end = offset + length - self._offset
        return self._bytes[max(offset - self._offset, 0) : end]
