"""The picture of a throw as it is kept: what was read of it, with what was read.

What each look read is one below the other, then the second camera's picture. Facts in it: the
names of the throw, the SHA-256 of the tray's file and of each frame, the size of a look in px, and
of each look the SHA-256 of its pixels, its faces and its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import msgspec
import numpy as np

from tabletools.dice.overhead.capture import Colour
from tabletools.dice.overhead.picture_facts import digest, picture_and, png_with
from tabletools.dice.overhead.throw import ThrowReading
from tabletools.dice.picture_patches import Grey


class PictureDamaged(ValueError):
    """A picture that is none of a throw."""


class _Look(msgspec.Struct):
    dice: list[int]
    reason: str
    sha256: str


class _Facts(msgspec.Struct):
    size: tuple[int, int]
    looks: list[_Look]
    dice: list[int]
    device: int
    throw: int
    frame_crc: int


@dataclass(frozen=True)
class ThrowFacts:
    """throw: its names. dice: as read. agreed: looks that show them. is_whole: the pixels of the
    looks are those that were read."""

    throw: dict[str, int]
    dice: list[int]
    agreed: int
    is_whole: bool


def throw_picture(
    key: str, facts: Mapping[str, Any], reading: ThrowReading, aside: Colour | None
) -> bytes:
    """Return the picture of a throw, PNG. key: of its facts. aside: by the second camera."""
    pictures = [look.picture for look in reading.looks]
    looks = [
        {
            "dice": look.verdict.dice,
            "reason": look.verdict.reason,
            "sha256": digest(look.picture.tobytes()),
        }
        for look in reading.looks
    ]
    size = pictures[0].shape[::-1]
    whole = {**facts, "size": size, "looks": looks}
    whole |= {"dice": reading.dice, "reason": reading.reason}
    return png_with(_stack(pictures, aside), key, whole)


def facts_of(data: bytes, key: str) -> ThrowFacts:
    """Return what the picture of a throw says. Raises PictureDamaged."""
    try:
        picture, text = picture_and(data, key)
        facts = msgspec.convert(text, _Facts)
        wide, high = facts.size
        sums = [
            digest(np.ascontiguousarray(picture[high * k : high * (k + 1), :wide]).tobytes())
            for k in range(len(facts.looks))
        ]
        is_whole = [look.sha256 for look in facts.looks] == sums
        agreed = [look.dice == facts.dice and not look.reason for look in facts.looks]
        throw = {"device": facts.device, "throw": facts.throw, "frame_crc": facts.frame_crc}
        return ThrowFacts(throw, facts.dice, sum(agreed), is_whole)
    except (OSError, KeyError, ValueError, SyntaxError) as error:
        raise PictureDamaged(str(error)) from error


def _stack(pictures: Sequence[Grey], aside: Colour | None) -> Grey:
    """Return pictures one below the other: in grey, or red, green and blue with the one aside."""
    whole = np.vstack(pictures)
    if aside is None:
        return whole
    below = cv2.cvtColor(aside, cv2.COLOR_BGR2RGB)
    above = np.repeat(whole[..., None], 3, 2)
    wide = max(above.shape[1], below.shape[1])
    parts = [np.pad(each, ((0, 0), (0, wide - each.shape[1]), (0, 0))) for each in (above, below)]
    return np.vstack(parts)
