"""The physical dice tray: dice, beams, the plates of the far wall and the camera.

Hands act on it (lift, throw, put back ...), time passes with `events_until`, and the events of
the sensors come out. A die is a body with a place and times: over the throw line, against the
wall, at rest. The camera draws dice at rest by ray, dice in flight as smears, and makes a frame
only when one is read. Times are integer microseconds since power-on.
"""

from __future__ import annotations

import dataclasses
import random
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tableemulator.machines.core.board_pins import CONTACTS, INPUTS
from tableemulator.machines.core.emulator import option
from tableemulator.machines.core.sensor_lines import LEVELS, Agenda, Bank, Event
from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, gaussian, render
from tablespec.tray_file import COLUMNS, ROWS, Facts, tray_file
from tablewire import messages


@dataclass(frozen=True, slots=True)
class TraySetup:
    """One tray as it was built. dice: 1 to 6; large: frames of 320 x 240 px; host: reads them.

    lights: two are switched in turn.
    """

    role: ClassVar[str] = "dice_tray"
    dice: int = option(3, "Dice of the table; Sic Bo has 3, other games 2.", least=1, most=6)
    large: bool = option(False, "Pictures of 320 x 240, not 160 x 120.")
    host: bool = option(False, "The host alone reads the dice, not the table.")
    lights: bool = option(False, "Two lights, switched in turn.")

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "role": messages.ROLE_DICE_TRAY,
            "dice": self.dice,
            "frame_size": 2 if self.large else 1,
            "dice_reading": 2 if self.host else 1,
            "lights": 3 if self.lights else 0,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture has of it."""
        return {"table": "dice", "dice": self.dice}


# Sensor noise in greys by quality of the table's parts.
SIGMA = {"none": 0.8, "healthy": 1.2, "worn": 2.0}
Noise = npt.NDArray[np.int16]
_POOL = 1 << 17
_DARK_CLOTH = 70.0
_PAPER = 215
# What commissioning measures of the dice, by whether they are light and the scale of the frames:
# side of a top, grey of body and pip, pitch, areas of pips and of that of a 1, sharpness.
# hil_tests/test_dice_tray.py measures them again.
_DICE = {
    (True, 1): (352, 206, 39, 26, 28, 26, 75),
    (True, 2): (712, 217, 25, 26, 31, 28, 66),
    (False, 1): (350, 32, 208, 27, 30, 26, 120),
    (False, 2): (712, 30, 223, 26, 31, 28, 124),
}
# What a face is like with a lamp mirrored in its middle.
_MIRRORED = {2: 3, 4: 5}
# Where the lights come from.
_LIGHTS = ((0.1, -0.1, 0.98), (-0.1, 0.1, 0.98))
# Of the sides that face right, down, left and up: percent of the step from tray to top. Of light
# ones under the first light, as these frames are too small to show it.
_RISES = {True: (40, 33, 33, 40), False: (100, 100, 100, 100)}
# Per mille of an edge by which the foot of a die that leans is elsewhere. Sides of light dice
# 22 px wide have a third of the step from tray to top and are off by up to 7 % of an edge: a lean
# of less than 14 degrees is not seen of them.
_LEANS = {(True, 1): 240, (True, 2): 130, (False, 1): 105, (False, 2): 105}
_SLEEVE = 75.0  # greys by which an arm is lighter than the cloth
_ABOVE = 45.0  # of the lens, edges of a die
# Cells of the floor: below the far wall, away from the edges of the picture.
_FLOOR = (2, 158)
_FIRST_ROW = 8


class Exposure:
    """One frame as the sensor gives it, under each light. bases: noiseless greys; noise: a stretch
    of the pool."""

    def __init__(self, bases: Sequence[bytes], pool: Noise, start: int) -> None:
        self._bases = bases
        self._pool = pool
        self._start = start

    def greys(self, light: int = 0) -> bytes:
        """Return the frame under a light, row by row."""
        base = self._bases[light]
        noise = self._pool[self._start : self._start + len(base)]
        grey = np.frombuffer(base, np.uint8) + noise
        data: bytes = np.clip(grey, 0, 255).astype(np.uint8).tobytes()
        return data

    def frozen(self) -> Exposure:
        """Return the same frame whichever light is lit."""
        return Exposure([self._bases[0]] * len(self._bases), self._pool, self._start)

    def text(self) -> str:
        """Return the frames as base64; the board sees the one whose light it has switched on."""
        return " ".join(b64encode(self.greys(light)).decode() for light in range(len(self._bases)))


class TrayCamera:
    """A camera of large or small frames. wall, mark: where they stand, px of a small frame.

    moved_px: how far it was knocked aside. cover: grey of what lies over the lens, None for
    nothing. lit: share of the light that is on. blur: passes. stopped, frozen: no frame, or one
    for ever. hand: an arm reaches in. strip: rows of a small frame on which a strip of paper lies.
    lights: that are switched in turn. shines: the first is mirrored in the middle of each 2 and 4,
    like a pip.
    """

    def __init__(
        self,
        seed: int | str,
        *,
        large: bool = False,
        noise: str = "healthy",
        lights: bool = False,
    ) -> None:
        self._rng = random.Random(f"{seed}/camera")
        self.scale = 2 if large else 1
        self.wall, self.mark = 6, 80
        self.px = 22.0  # a die's edge in a small frame
        self.is_light = self._rng.random() < 0.7
        body, pip = (225.0, 25.0) if self.is_light else (30.0, 225.0)
        self.style = Style(body, pip, radius=0.1, one=0.1)
        self.table = _DARK_CLOTH if self.is_light else 150.0
        sigma = SIGMA[noise]
        self._pool: Noise = np.rint(gaussian(self._rng, sigma, _POOL)).astype(np.int16)
        self.moved_px = 0
        self.cover: int | None = None
        self.lit = 1.0
        self.blur = 1
        self.stopped = self.frozen = self.hand = self.shines = False
        self.lights = (0, 1) if lights else (0,)
        self.strip: tuple[int, int] | None = None
        self._result: list[bytes] | None = None
        self._photograph: list[bytes] | None = None
        self._drawn: tuple[Any, list[bytes]] | None = None
        self._last: Exposure | None = None

    @property
    def width(self) -> int:
        """Return the width of a frame, px."""
        return 160 * self.scale

    @property
    def height(self) -> int:
        """Return the height of a frame, px."""
        return 120 * self.scale

    def scene(self, dice: Sequence[Die], light: int = 0) -> Scene:
        """Return what lies under the lens, under a light."""
        return Scene(
            self.width,
            self.height,
            self.px * self.scale,
            _ABOVE,
            self.table,
            (-8.0, 6.0) if light else (8.0, -6.0),
            0.0,
            _LIGHTS[light],
            0.2,
            self.blur,
            0.0,
            wall=self.wall * self.scale,
            mark=self.mark * self.scale + self.moved_px,
            arm=self.hand,
            sleeve=self.table + _SLEEVE,
            dice=list(dice),
        )

    def expose(self, dice: Sequence[Die], flying: int) -> Exposure | None:
        """Take a picture of dice at rest and so many in flight; None when it has stopped."""
        if self.stopped:
            return None
        if self.frozen and self._last is not None:
            return self._last.frozen()
        bases = [bytearray(still) for still in self._still(dice)]
        for _ in range(flying if self._photograph is None else 0):
            self._smear(bases)
        start = self._rng.randrange(_POOL - self.width * self.height)
        self._last = Exposure([bytes(base) for base in bases], self._pool, start)
        return self._last

    def commissioned(self, light: int = 0) -> bytes:
        """Return the file of this tray under a light, as `tabletool commission-tray` makes it of
        pictures."""
        side, body, pip, pitch, pip_area, one_area, sharpness = _DICE[self.is_light, self.scale]
        middle = 8 * self.width, 8 * self.height
        right, down, left, up = _RISES[self.is_light]
        rises = (left, up, right, down) if light else (right, down, left, up)
        facts = Facts(
            self.scale, side, int(16 * _ABOVE), *middle, 0,
            body, pip, pitch, pip_area, one_area, sharpness,
            _LEANS[self.is_light, self.scale], rises,
        )  # fmt: skip
        grey = np.frombuffer(render(self.scene((), light), 1), np.uint8)
        cells = grey.reshape(ROWS, self.scale, COLUMNS, self.scale).mean((1, 3))
        spans = [_FLOOR if row >= _FIRST_ROW else (0, 0) for row in range(ROWS)]
        return tray_file(facts, spans, np.rint(cells).astype(np.uint8).tobytes())

    def note_result(self) -> None:
        """A round gave faces: somebody may take a photograph of that."""
        self._result = self._drawn[1] if self._drawn else None

    def show_last(self, is_on: bool = True) -> bool:
        """Lay a photograph of the last result under the lens, or take it away; whether it lies."""
        self._photograph = self._result if is_on else None
        return self._photograph is not None

    def _still(self, dice: Sequence[Die]) -> list[bytes]:
        """Return a picture of dice at rest under each light, without noise."""
        if self._photograph is not None:
            return self._photograph
        if self.cover is not None:
            return [bytes([self.cover]) * (self.width * self.height)] * len(self.lights)
        key = (tuple(dice), self.moved_px, self.lit, self.blur, self.hand, self.strip, self.shines)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, [self._under(light, dice) for light in self.lights])
        return self._drawn[1]

    def _under(self, light: int, dice: Sequence[Die]) -> bytes:
        if self.shines and light == 0:
            dice = [
                dataclasses.replace(die, value=_MIRRORED.get(die.value, die.value)) for die in dice
            ]
        still = render(self.scene(dice, light), 1)
        if self.strip is not None:
            first, end = (row * self.scale * self.width for row in self.strip)
            still = still[:first] + bytes([_PAPER]) * (end - first) + still[end:]
        if self.lit < 1:
            still = bytes(int(grey * self.lit) for grey in still)
        return still

    def _smear(self, bases: list[bytearray]) -> None:
        """Draw a die in flight: a grey streak somewhere."""
        long, wide = round(2.2 * self.px * self.scale), round(0.9 * self.px * self.scale)
        x = self._rng.randrange(self.width - wide)
        y = self._rng.randrange(self.height - long)
        row = bytes([int(self.table * 1.4)]) * wide
        for line in range(y, y + long):
            for base in bases:
                base[line * self.width + x : line * self.width + x + wide] = row

    def placed(self, die: Die, x: float, y: float) -> Die:
        """Return the die with its middle at a pixel of a small frame."""
        return dataclasses.replace(die, x=(x - 80) / self.px, y=(y - 60) / self.px)


LINES = PLACE, LINE, PLATE_1, PLATE_2, PLATE_3, EDGE = INPUTS[:6]
PLATES = (PLATE_1, PLATE_2, PLATE_3)
FRAME_US = 250_000
# The circuit of a plate makes of each hit a pulse; hits within it make it longer.
HIT_PULSE_US = 5_000


@dataclass(frozen=True, slots=True)
class Flight:
    """One die of a throw, times after the release. plate: of the wall, None: it falls short.

    line_us, line_width_us: over the throw line, None: past it. again_us: second contact of the
    same die with the wall after the first, 0 for none. rest_us: it lies still. die: as it lies
    then, None where no camera sees it.
    """

    line_us: int | None
    line_width_us: int
    wall_us: int
    plate: int | None
    again_us: int
    rest_us: int
    die: Die | None


class Tray(Agenda):
    """One tray with its sensors; deterministic for a seed. dice: that belong to it."""

    def __init__(
        self,
        seed: int | str,
        dice: int,
        *,
        large: bool = False,
        noise: str = "healthy",
        lights: bool = False,
    ) -> None:
        super().__init__()
        self.dice = dice
        self.camera = TrayCamera(seed, large=large, noise=noise, lights=lights)
        self.sensors = Bank(dict.fromkeys(LINES, 0.0), CONTACTS, seed, LEVELS[noise])
        self.at_place = dice
        self.lying: list[Die] = []
        self.flying = 0
        self._frame_us = 0
        self.sensors.shift(0, PLACE, 1)

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us and return the events since the last call, in time order."""
        self.pass_to(t_us, self._run)
        return self.sensors.take(t_us)

    def _run(self, t_us: int) -> None:
        while self._frame_us + FRAME_US <= t_us:
            self._frame_us += FRAME_US
            exposure = self.camera.expose(self.lying, self.flying)
            if exposure is not None:
                self.sensors.note([self._frame_us, "frame", INPUTS[7], exposure])
        self.sensors.run(t_us)

    # --- hands ------------------------------------------------------------------------------

    def lift(self) -> None:
        """Somebody takes the dice at the thrower's place into his hand."""
        if self.at_place:
            self.at_place = 0
            self.sensors.shift(self.now_us, PLACE, -1)

    def put_back(self) -> None:
        """The croupier brings the dice to the thrower's place, those in flight too."""
        self.lying = []
        self.flying = 0
        self.clear_agenda()
        for pin in (LINE, *PLATES, EDGE):
            self.sensors.uncover(self.now_us, pin)
        if not self.at_place:
            self.at_place = self.dice
            self.sensors.shift(self.now_us, PLACE, 1)

    def throw(self, flights: list[Flight]) -> None:
        """The dice leave the hand now."""
        now = self.now_us
        self.flying += len(flights)
        for flight in flights:
            if flight.line_us is not None:
                self._pulse(now + flight.line_us, LINE, flight.line_width_us)
            if flight.plate is not None:
                self._pulse(now + flight.wall_us, PLATES[flight.plate], HIT_PULSE_US)
                if flight.again_us:
                    end_us = now + flight.wall_us + flight.again_us
                    self._pulse(end_us, PLATES[flight.plate], HIT_PULSE_US)
            self.schedule(now + flight.rest_us, self._landing(flight))

    def _landing(self, flight: Flight) -> Callable[[int], None]:
        def land(_when: int) -> None:
            self.flying -= 1
            if flight.die is not None:
                self.lying = [*self.lying, flight.die]

        return land

    def cross_edge(self, width_us: int) -> None:
        """Something goes through an edge beam for that long."""
        self._pulse(self.now_us, EDGE, width_us)

    def _pulse(self, t_us: int, pin: int, width_us: int) -> None:
        self.schedule(t_us, lambda when: self.sensors.shift(when, pin, 1))
        self.schedule(t_us + width_us, lambda when: self.sensors.shift(when, pin, -1))
