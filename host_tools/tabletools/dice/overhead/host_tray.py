"""A tray as the host's camera sees it: the empty one, its floor, and how large dice are in it.

Its file is the picture of the empty tray, PNG, with what was measured in a text of it, so that it
can be looked at. Reading reduces pictures so that a die has READ_SIDE_PX.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import msgspec
import numpy as np

from tabletools.dice.maps import Top
from tabletools.dice.overhead.floor import Polygon, floor_mask, verify_floor
from tabletools.dice.overhead.lens import Lens
from tabletools.dice.overhead.picture_facts import picture_and, png_with
from tabletools.dice.overhead.registration import EmptyView, registered
from tabletools.dice.overhead.side_light import SideLight
from tabletools.dice.overhead.troubles import CAMERA_MOVED, OTHER_TRAY, CameraTrouble
from tabletools.dice.picture_patches import FEW, Floats, Grey, Mask
from tabletools.dice.reference import Floor, Reference
from tabletools.errors import ToolError

LEAST_SIZE = 640, 480
LEAST_SIDE_PX = 28
"""A die's side at least, in the picture of the camera."""
READ_SIDE_PX = 26.0
"""At which dice are read: the network knows dice of 18 to 34 px best."""
LEAST_APART = 1.0
"""Edges of a die between the lenses of two cameras whose readings have to agree: a quarter of an
edge apart 6 of 40 highlights are a pip to both, half an edge one (hil_tests/dice_two_cameras)."""
_TEXT = "tablewire-tray"
_VERSION = 1
_MOST_SHIFT = 0.12
"""Sides of a die by which a camera may have moved; reading shifts the empty tray by that much."""
_LEAST_LIKENESS = 0.5
"""See Registration."""


@dataclass(frozen=True)
class HostTray:
    """empty: the tray, all of the camera's picture. floor: in it. side_px: of a die's top. body:
    grey of a die. lens: above it. light: on the sides of dice. apart: edges of a die from
    this lens to that of the table's camera, as a technician measured it, 0 if not measured."""

    empty: Grey
    floor: Polygon
    side_px: float
    body: int
    lens: Lens
    light: SideLight | None
    apart: float = 0.0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the camera's picture, px."""
        return self.empty.shape[1], self.empty.shape[0]

    @property
    def scale(self) -> float:
        """Pixels of a picture that is read for one of the camera's."""
        return min(1.0, READ_SIDE_PX / self.side_px)

    def reduced(self, picture: Grey) -> Grey:
        """Return a picture of the camera as it is read."""
        if self.scale == 1:
            return picture
        way = cv2.INTER_AREA
        return np.asarray(
            cv2.resize(picture, None, fx=self.scale, fy=self.scale, interpolation=way), np.uint8
        )

    @cached_property
    def reference(self) -> Reference:
        """The empty tray as it is read."""
        empty = self.reduced(self.empty)
        corners = [(round(self.scale * x), round(self.scale * y)) for x, y in self.floor]
        mask = floor_mask(corners, empty.shape)
        return Reference(empty, Floor(mask, _grown(mask, self.scale * self.side_px / 2)))

    @cached_property
    def empty_view(self) -> EmptyView:
        """The empty tray as it is read, prepared for comparisons."""
        return EmptyView.from_picture(self.reference.grey)

    @cached_property
    def floor_mask(self) -> Mask:
        """Which pixels of the camera's picture are floor."""
        return floor_mask(self.floor, self.empty.shape)

    @cached_property
    def near_floor(self) -> Mask:
        """Which pixels of the camera's picture show the floor, or a top on it: that is seen
        farther out than its foot, by half its side at most."""
        return _grown(self.floor_mask, self.side_px / 2)

    def in_camera(self, top: Top) -> tuple[tuple[float, float], float]:
        """Return the middle of a top and its side, px of the camera's picture."""
        x, y = ((along + 0.5) / self.scale - 0.5 for along in (top.x, top.y))
        return (x, y), top.side / self.scale

    def in_light_of(self, picture: Grey) -> Floats:
        """Return the empty tray as bright as a picture of the camera."""
        floor = self.floor_mask[FEW]
        now, then = (float(np.median(each[FEW][floor])) for each in (picture, self.empty))
        gain = now / max(then, 1.0)
        return np.asarray(gain * self.empty, np.float32)

    def verify_apart(self, where: str) -> None:
        """Raise ToolError unless the table's camera is known to have its lens elsewhere."""
        if self.apart >= LEAST_APART:
            return
        what = "the distance of this lens from that of the table's camera was not measured"
        if self.apart:
            what = f"this lens is {self.apart:g} edges of a die from that of the table's camera"
        step = "hang it farther away: so near, both take the same highlight for a pip; calibrate"
        step += " again with --apart, the distance of both lenses in edges of a die"
        limit = f"{LEAST_APART:g} edge at least where table and host read for money"
        raise ToolError(what, where=where, limit=limit, step=step)

    def verify_view(self, picture: Grey) -> None:
        """Raise CameraTrouble unless a picture of the camera shows this tray from the same place.

        picture: reduced.
        """
        place = registered(self.empty_view, picture)
        if place.likeness < _LEAST_LIKENESS:
            what = (
                f"{100 * place.likeness:.0f} % of the edges of the empty tray are in the picture"
            )
            raise CameraTrouble(OTHER_TRAY, f"{what}, {100 * _LEAST_LIKENESS:.0f} at least")
        shift = place.shift_px / self.scale
        if (most := _MOST_SHIFT * self.side_px) < shift:
            what = f"the camera's picture is shifted by {shift:.0f} px, {most:.0f} at most"
            raise CameraTrouble(CAMERA_MOVED, what)


def _grown(mask: Mask, px: float) -> Mask:
    size = 2 * round(px) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


class _Facts(msgspec.Struct):
    version: int
    floor: tuple[tuple[int, int], ...]
    side_px: float
    body: int
    lens: Lens
    light: SideLight | None
    apart: float


def file_of(tray: HostTray) -> bytes:
    """Return the file of a tray."""
    facts = {"version": _VERSION, "floor": tray.floor}
    facts |= {"side_px": tray.side_px, "body": tray.body, "apart": tray.apart}
    facts |= msgspec.to_builtins({"lens": tray.lens, "light": tray.light})
    return png_with(tray.empty, _TEXT, facts)


def tray_of(data: bytes, where: str) -> HostTray:
    """Return the tray of a file's bytes. where: its name. Raises ToolError."""
    step = "give the file that `tabletool dice calibrate` wrote"
    try:
        empty, text = picture_and(data, _TEXT)
        facts = msgspec.convert(text, _Facts)
        tray = HostTray(
            empty, facts.floor, facts.side_px, facts.body, facts.lens, facts.light, facts.apart
        )
        is_sound = facts.version == _VERSION and LEAST_SIDE_PX <= tray.side_px <= 1000
        verify_floor(facts.floor, tray.size)
    except (OSError, ValueError, KeyError, SyntaxError, ToolError):
        is_sound = False
    if not is_sound:
        raise ToolError("this is not the file of a calibrated tray", where=where, step=step)
    return tray
