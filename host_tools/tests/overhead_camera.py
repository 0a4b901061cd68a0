"""A camera of the host above a tray, scripted: frames rendered by the emulator, and its faults."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, Walls, render
from tabletools.dice.overhead.calibration import calibrated
from tabletools.dice.overhead.host_camera import HostCamera
from tabletools.dice.overhead.host_tray import file_of
from tabletools.dice.overhead.troubles import NO_CAMERA, CameraTrouble

STYLE = Style(225.0, 25.0, radius=0.1, one=0.1)
WALLS = Walls((24, 24, 26, 24), (0.6, 0.5, 0.7, 0.55), 0.02, 16, 8, 150, 40)
OTHER_WALLS = Walls((60, 40, 90, 70), (0.5, 0.6, 0.5, 0.7), -0.1, 30, 14, 30, 120)
EMPTY = Scene(640, 480, scale=34, above=24, table=70, walls=WALLS, noise=0.0)
NOISE = 1.2  # sigma, greys
ADAPTING = 5  # frames that a camera is read before those that count
CORNERS = ((-6, -4), (6, -4), (-6, 4), (6, 4))
PLACES = ((-3.0, -1.2), (1.4, 2.1), (4.2, -2.3), (-5, 3))


def dice(*values, **more):
    """Dice with these faces, flat and apart."""
    return [
        Die(x, y, value, 0.4 + 0.7 * place, STYLE, **more)
        for place, (value, (x, y)) in enumerate(zip(values, PLACES, strict=False))
    ]


_pictures = {}


def grey(lying=(), scene=EMPTY):
    """The tray with dice in it, without noise. The same scene is rendered once a process."""
    base = replace(scene, dice=[*lying])
    if (key := repr(base)) not in _pictures:
        picture = np.frombuffer(render(base, 1), np.uint8)
        _pictures[key] = picture.reshape(scene.height, scene.width)
    return _pictures[key]


@cache
def _noise():
    """Noise of a sensor, a little more than a frame."""
    return np.random.default_rng(0).normal(0, NOISE, (520, 680)).round().astype(np.int16)


def exposed(picture, number):
    """Frame number so many of a picture, 0 to 39, with a sensor's noise."""
    high, wide = picture.shape
    noise = _noise()[number : number + high, 2 * number % 40 : 2 * number % 40 + wide]
    return (picture + noise).clip(0, 255).astype(np.uint8)


def frames(picture, count=9, first=0):
    """So many frames of one picture, blue, green and red."""
    greys = [exposed(picture, first + number) for number in range(count)]
    return [np.repeat(each[..., None], 3, 2) for each in greys]


@cache
def tray():
    """The tray, calibrated."""
    corners = [
        Die(x, y, value, 0.3 * value, STYLE)
        for value, (x, y) in zip((1, 4, 5, 6), CORNERS, strict=True)
    ]
    empty = [each[..., 0] for each in frames(grey(), 3)]
    measured = calibrated(empty, [frames(grey(corners), 1)[0][..., 0]]).tray
    return replace(measured, apart=2.5)


@dataclass
class ScriptedCamera:
    """What a camera gives each time it is opened. picture: what it sees, None: it is not there.

    after: frames that it gives before it is unplugged. frozen: it repeats one frame. turn: changes
    a frame, by its number.
    """

    picture: object = None
    after: int | None = None
    frozen: bool = False
    turn: object = None
    opened: int = 0
    released: int = 0

    def __call__(self, source, size):
        """Open it."""
        self.opened += 1
        if self.picture is None:
            raise CameraTrouble(NO_CAMERA, f"the camera {source} cannot be opened")
        self._number = 0
        return self

    def read(self):
        """Return the next frame."""
        if self.after is not None and self._number >= self.after:
            return False, None
        first = 14 * (self.opened % 2)
        frame = exposed(self.picture, 0 if self.frozen else first + self._number)
        if self.turn is not None:
            frame = self.turn(frame, self._number)
        self._number += 1
        return True, np.repeat(frame[..., None], 3, 2)

    def release(self):
        """Close it."""
        self.released += 1


@cache
def _file():
    return file_of(tray())


def host_camera(script):
    """The camera of a table."""
    return HostCamera("0", tray(), _file(), script)
