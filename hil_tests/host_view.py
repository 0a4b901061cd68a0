"""A camera of the host above an emulated tray: the dice that lie there, in a picture of its own.

It is another size than the table's, with other noise, and sees them at other times.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from host_tools.tests.overhead_camera import STYLE, ScriptedCamera, grey, host_camera
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.dice.overhead.host_camera import HostCamera
from tabletools.pit import assignments
from tabletools.pit.second_reader import ReadingAids


def camera_above(lying: Callable[[], Sequence[Die]]) -> HostCamera:
    """Return the camera above dice; each time that it is opened it shows them as they lie."""
    script = ScriptedCamera()

    def opened(source: str, size: tuple[int, int]) -> Any:
        script.picture = grey([replace(die, style=STYLE) for die in lying()])
        return script(source, size)

    camera: HostCamera = host_camera(opened)
    return camera


@contextmanager
def cameras(lying: Callable[[str], Sequence[Die]]) -> Iterator[None]:
    """Have each dice_camera of a table be one above its tray. lying: dice there, by that name."""

    def aids(_reference: str, _camera: str, _source: str, name: str = "") -> ReadingAids:
        return ReadingAids(camera=camera_above(lambda: lying(name)) if name else None)

    with mock.patch.object(assignments, "aids_of", aids):
        yield
