"""The host's own camera above a table's tray: its source, and the tray it was calibrated for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tabletools.dice.overhead.capture import Colour, Opener, burst, grey_of, open_source
from tabletools.dice.overhead.host_tray import HostTray, tray_of
from tabletools.dice.overhead.picture_facts import digest
from tabletools.errors import ToolError


@dataclass(frozen=True)
class HostCamera:
    """source: see capture.open_source. file: of the tray."""

    source: str
    tray: HostTray
    file: bytes
    opener: Opener = open_source

    @cached_property
    def digest(self) -> str:
        """The sum that names the tray's file."""
        return digest(self.file)

    def with_file(self, data: bytes) -> HostCamera:
        """Return the camera with another file of its tray. Raises ToolError."""
        return replace(self, tray=tray_of(data, "the ledger"), file=data)

    def burst(self) -> list[Colour]:
        """Return the frames of a throw. Raises CameraTrouble."""
        return burst(self.source, self.tray.size, opener=self.opener)

    def verify(self) -> None:
        """Raise CameraTrouble unless the camera shows its tray now, whatever lies in it."""
        frame = burst(self.source, self.tray.size, 2, self.opener)[-1]
        self.tray.verify_view(self.tray.reduced(grey_of(frame)))


def camera_of(source: str, path: Path) -> HostCamera:
    """Return the camera of a source. path: file of its tray. Raises ToolError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"cannot read {path}: {(error.strerror or str(error)).lower()}"
        step = "make it with `tabletool dice calibrate`"
        raise ToolError(what, where="dice_reference", step=step) from error
    return HostCamera(source, tray_of(data, str(path)), data)
