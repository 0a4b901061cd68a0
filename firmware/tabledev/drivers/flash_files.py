"""Small files in /flash, a separate folder on every port."""

import os

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer, Steps

_FOLDER = "/flash"
# Half a block of the flash, so that a piece has one to erase at most: 400 ms at worst, and 3 ms a
# page of 256 bytes (W25Q16JV data sheet, 9.6).
_PIECE_BYTES = const(2048)


class FlashFiles:
    """Files by plain name. Missing and unreadable are the same to the caller: no valid copy."""

    def __init__(self) -> None:
        if _FOLDER[1:] not in os.listdir("/"):
            os.mkdir(_FOLDER)

    def read(self, name: str) -> "bytes | None":
        """The whole file, or None."""
        try:
            with open(_FOLDER + "/" + name, "rb") as file:
                return file.read()
        except OSError:
            return None

    def part(self, name: str, offset: int, length: int) -> bytes:
        """At most length bytes of the file from offset on; empty when there is no such file."""
        try:
            with open(_FOLDER + "/" + name, "rb") as file:
                file.seek(offset)
                return file.read(length)
        except OSError:
            return b""

    def write(self, name: str, data: "Buffer") -> None:
        """Replace the file by data; on the flash when this returns. Raises OSError."""
        with open(_FOLDER + "/" + name, "wb") as file:
            file.write(data)
        self._sync()

    def pieces(self, name: str, parts: "tuple[Buffer, ...]") -> "Steps":
        """Replace the file by these parts; yields between two pieces. Raises OSError.

        On the flash when it has ended.
        """
        with open(_FOLDER + "/" + name, "wb") as file:
            for part in parts:
                for place in range(0, len(part), _PIECE_BYTES):
                    if place or part is not parts[0]:
                        yield
                    file.write(part[place : place + _PIECE_BYTES])
        self._sync()

    def _sync(self) -> None:
        # Closing commits on LittleFS; ports with a cache below it have os.sync.
        if hasattr(os, "sync"):
            os.sync()
