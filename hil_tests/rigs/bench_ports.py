"""The two serial ports of the bench: the line of the stimulus, the link of the table."""

import time
from collections.abc import Callable

from tabletools.link import Link, OnceStore, Received, Session, open_port
from tablewire.codec import Frame

_PAUSE_S = 0.005


class SerialLine:
    """The stimulus at a port. Raises link.PortError when it does not open."""

    def __init__(self, url: str) -> None:
        self._port = open_port(url)
        self._heard = b""

    def write(self, data: bytes, /) -> int | None:
        return self._port.write(data)

    def read_line(self, within_s: float, /) -> bytes:
        end = time.monotonic() + within_s
        while b"\n" not in self._heard and time.monotonic() < end:
            data = self._port.read(4096)
            self._heard += data
            if not data:
                time.sleep(_PAUSE_S)
        line, newline, self._heard = self._heard.partition(b"\n")
        return line + newline

    def close(self) -> None:
        self._port.close()


class LinkedTable:
    """The table at a port, a bench board without a key: its records are taken and dropped."""

    def __init__(self, url: str) -> None:
        self._link = Link(url, Session(OnceStore(lambda frame: None)))

    def frames(self, until: Callable[[Frame], bool], within_s: float, /) -> list[Frame]:
        end = time.monotonic() + within_s
        frames: list[Frame] = []
        while time.monotonic() < end and not any(map(until, frames)):
            frames += [e.frame for e in self._link.step() if isinstance(e, Received)]
        return frames

    def close(self) -> None:
        self._link.close()
