"""Small files in /flash, a separate folder on every port."""

import os

_FOLDER = "/flash"


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

    def write(self, name: str, data: bytes, more: "bytes | None" = None) -> None:
        """Replace the file by data, then more; on the flash when this returns. Raises OSError."""
        with open(_FOLDER + "/" + name, "wb") as file:
            file.write(data)
            if more is not None:
                file.write(more)
        # Closing commits on LittleFS; ports with a cache below it have os.sync.
        if hasattr(os, "sync"):
            os.sync()
