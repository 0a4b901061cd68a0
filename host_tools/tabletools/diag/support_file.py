"""One support file: what a remote engineer needs to see of a table. Never a key.

JSON: versions, identity, configuration, counters, checks, last events, and the bytes on the line
during the checks, as a capture. What a host sends that could reveal a key is blanked.
"""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from io import StringIO
from typing import Any

from tablespec.config_keys import KEYS
from tabletools.capture import Withheld, Writer
from tabletools.decode import Record
from tabletools.diag import report
from tabletools.diag.check import Check
from tablewire.messages import MINOR, VERSION

FORMAT = 1
_PACKAGES = ("pyserial", "construct", "typer", "rich")
_MOST_CHARACTERS = 400_000  # of the capture: some minutes of a busy line


class Recording:
    """The bytes of a line as a capture in memory; only the first part if it grows too long."""

    def __init__(self, source: str) -> None:
        self._text = StringIO()
        self._writer = Writer(self._text, {"source": source})
        self._safe = Withheld(self._chunk)
        self._start: float | None = None

    def note(self, now: float, direction: str, data: bytes) -> None:
        """See link.Link."""
        if self._start is None:
            self._start = now
        self._safe.chunk(int((now - self._start) * 1e6), direction, data)

    def _chunk(self, t_us: int, direction: str, data: bytes) -> None:
        if self._text.tell() < _MOST_CHARACTERS:
            self._writer.chunk(t_us, direction, data)

    def text(self) -> str:
        """The capture so far."""
        return self._text.getvalue()


def versions() -> dict[str, str]:
    """Versions of this program and its dependencies."""
    programs = {"tabletool": version("tablewire"), "python": platform.python_version()}
    programs |= {"system": platform.platform(), "wire": f"{VERSION}.{MINOR}"}
    return programs | {name: version(name) for name in _PACKAGES}


def bundle(
    identity: Record,
    values: Sequence[int],
    checks: Sequence[Check],
    events: Sequence[str],
    capture: str,
) -> dict[str, Any]:
    """Return the support file as JSON-ready data.

    values: of the configuration by key, index 0 unused.
    """
    return {
        "tablewire_bundle": FORMAT,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **report.data(identity, checks),
        "configuration": {key.name: values[key.number] for key in KEYS},
        "events": list(events),
        "capture": capture,
    }
