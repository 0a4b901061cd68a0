"""Which table answers at which port: a table is found by its serial number when names changed.

The settings name a port for each table. Two exchanged plugs, or an adapter that the system gave
another name, lead to other tables, or nowhere; what answered where is known here, for all tables
of a host.
"""

import os
from collections.abc import Callable, Sequence
from threading import Lock

from tabletools.link.port import usb_ports


def _usb_paths() -> list[str]:
    return [path for path, _ in usb_ports()]


class PortMap:
    """The ports of a host's tables by serial number; used by the threads of all of them."""

    def __init__(self, listed: Callable[[], Sequence[str]] = _usb_paths) -> None:
        """listed: returns the device paths of the serial ports of this machine."""
        self._listed = listed
        self._lock = Lock()
        self._own: dict[int, str] = {}
        self._answers: dict[str, int] = {}

    def add(self, device: int, port: str) -> None:
        """Note the port that the settings name for a table."""
        with self._lock:
            self._own[device] = port

    def answered(self, port: str, device: int) -> None:
        """Note that a table answered at a port."""
        with self._lock:
            for known in [each for each, there in self._answers.items() if there == device]:
                del self._answers[known]
            self._answers[_real(port)] = device

    def next_of(self, device: int, present: str, *, is_gone: bool) -> str:
        """Return the port at which to look for a table now, `present` for no other.

        present: where it was looked for. is_gone: that port is not there any more. The port where
        it answered; else that of the settings, unless it is gone or another table answers there:
        then one after the other those of tables that answer elsewhere, and USB ports that no table
        of this host has.
        """
        with self._lock:
            names = {_real(port): port for port in (*self._own.values(), present)}
            here, own = _real(present), _real(self._own[device])
            if is_gone:
                self._answers.pop(here, None)
            at = [port for port, there in self._answers.items() if there == device]
            is_own_gone = is_gone and here == own and "://" not in own
            is_lost = own in self._answers or is_own_gone or here != own
            if not at and is_lost:
                ports = [own, *self._free(device)]
                ports = [port for port in ports if port not in self._answers] or [own]
                last = ports.index(here) if here in ports else -1
                at = [ports[(last + 1) % len(ports)]]
            [port, *_] = at or [own]
            return names.get(port, port)

    def _free(self, device: int) -> list[str]:
        """The ports that no table of this host needs."""
        elsewhere = set(self._answers.values())
        own = {other: _real(port) for other, port in self._own.items()}
        left = [port for other, port in own.items() if other != device and other in elsewhere]
        listed = map(_real, self._listed())
        return left + [path for path in listed if path not in own.values()]


def _real(port: str) -> str:
    """The device path itself for a link to it, such as one by id; a URL as it is."""
    return port if "://" in port else os.path.realpath(port)
