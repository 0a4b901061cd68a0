"""The host's own camera above a table's tray: its source, and the tray it was calibrated for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tabletools.dice.overhead.capture import Colour, Opener, burst, grey_of, open_source
from tabletools.dice.overhead.host_tray import HostTray, tray_of
from tabletools.dice.overhead.picture_facts import digest
from tabletools.errors import ToolError


@dataclass(frozen=True)
class HostCamera:
    """source: see capture.open_source. digest: of the tray's file."""

    source: str
    tray: HostTray
    digest: str
    opener: Opener = open_source

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
    return HostCamera(source, tray_of(data, str(path)), digest(data))
