"""How often table and host agree on a face that a highlight made: `make dice BY=both`.

    python -m hil_tests.dice_two_cameras [--rigs N] [--from-rig N] [--scenes N] [APART ...]

Both read the same dark die, a 2 or a 4, each from its own lens. A lamp is where it puts the worst
highlight into the table's picture: in the middle of the top, with grey and size of a pip, so that
one camera cannot tell it from one. A top is a mirror, so a lens elsewhere sees that lamp at
another place of the die, or beside it. APART: edges of a die between both lenses. Rigs are those
of `hil_tests.dice_rigs` and `hil_tests.dice_overhead` with the same dice, floor and light.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from hil_tests import dice_overhead, dice_rigs
from hil_tests.dice_overhead import OverheadRig
from hil_tests.dice_rigs import Die, Floats, Tray
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tabletools.dice.overhead.host_tray import HostTray
from tabletools.errors import ToolError

APARTS = (0.25, 0.5, 1.0, 2.0)
LAMP = (15.0, 40.0)
"""Above the floor, edges."""
_TIMES = 8
_READ = 1


def rigs_of(seed: int) -> tuple[Tray, bytes, OverheadRig, HostTray] | None:
    """Return the table's rig and the host's with the same dark dice, None if they are refused."""
    tray = dice_rigs.tray_of(seed)
    if tray.dice.body > tray.dice.pip:
        return None
    above = dice_overhead.rig_of(seed)
    same = {name: getattr(tray, name) for name in ("dice", "floor", "tilt", "light", "shadow")}
    above = replace(above, tray=replace(above.tray, **same), rim=tray.floor - 60)
    try:
        return tray, dice_rigs.commission(tray), above, dice_overhead.calibrate(above)
    except ToolError:
        return None


def glint(tray: Tray, die: Die, place: tuple[float, float], picture: Floats) -> Floats:
    """Return a picture with a highlight like a pip on the top of a die, if it is on it.

    place: edges, from the point below the lens.
    """
    right, down = place[0] - die.x, place[1] - die.y
    c, s = math.cos(die.turn), math.sin(die.turn)
    if max(abs(right * c + down * s), abs(down * c - right * s)) > 0.5:
        return picture
    near = tray.px * tray.above / (tray.above - 1)
    wide, high = tray.size
    middle = [
        round(16 * _TIMES * (size / 2 + near * way))
        for size, way in ((wide, place[0]), (high, place[1]))
    ]
    cover: Any = np.zeros((_TIMES * high, _TIMES * wide), np.float32)
    cv2.circle(cover, middle, round(16 * _TIMES * near * die.dice.radius), 1.0, -1, cv2.LINE_AA, 4)
    cover = cv2.resize(cover, (wide, high), interpolation=cv2.INTER_AREA)
    cover = cv2.GaussianBlur(cover, (0, 0), tray.blur)
    shining: Floats = picture * (1 - cover) + die.dice.pip * cover
    return shining


def mirrored(
    lens: tuple[float, float, float], lamp: tuple[float, float, float]
) -> tuple[float, float]:
    """Return where a lens sees a lamp in tops, which are an edge above the floor; edges."""
    high, far = lens[2] - 1, lamp[2] - 1
    x, y = ((a * far + b * high) / (high + far) for a, b in zip(lens[:2], lamp[:2], strict=True))
    return x, y


def throw(
    rigs: tuple[Tray, bytes, OverheadRig, HostTray], apart: float, number: int
) -> tuple[str, str]:
    """Return what table and host read of one throw: right, refused, or the wrong faces."""
    tray, file, above, host = rigs
    rng = np.random.default_rng([61, number])
    way = rng.uniform(0, 2 * math.pi)
    lens = apart * math.cos(way), apart * math.sin(way), above.tray.above
    # Where both see a die; the table's lens is above 0, 0.
    reaches = zip(dice_rigs.reach(tray), dice_overhead.reach_of(above), lens[:2], strict=True)
    ends = [(max(-near, off - far), min(near, off + far)) for near, far, off in reaches]
    x, y = (float(rng.uniform(min(each), max(each))) for each in ends)
    place = x, y
    die = Die(*place, int(rng.choice((2, 4))), rng.uniform(0, 6.28), tray.dice)
    high = rng.uniform(*LAMP)
    beyond = (tray.above + high - 2) / (tray.above - 1)
    lamp = x * beyond, y * beyond, high

    picture = glint(tray, die, place, dice_rigs.draw(tray, [die]))
    reader = Reader(Rig(file))
    frame = dice_rigs.exposed(tray, picture, number)
    reason = finish(reader.steps(frame.grey, 1))
    by_table = str(reader.values[0]) if reason == _READ else "refused"

    moved = replace(die, x=die.x - lens[0], y=die.y - lens[1])
    x, y = mirrored(lens, lamp)
    picture = dice_rigs.draw(above.tray, [moved])
    picture = glint(above.tray, moved, (x - lens[0], y - lens[1]), picture)
    frame = dice_rigs.exposed(above.tray, picture, number)
    reading = dice_overhead.read(above, host, frame, 1, number)
    by_host = "refused" if reading.reason else str(reading.dice[0])
    return tuple("right" if each == str(die.value) else each for each in (by_table, by_host))  # type: ignore[return-value]


def main() -> int:
    """Print a line for each distance between the lenses; 1: both agreed on a wrong face."""
    options = dice_rigs.options_of(__doc__, 60, "aparts", float, APARTS)
    rigs = dice_rigs.accepted(rigs_of, options)
    print(f"{len(rigs)} of {options.rigs} rigs are dark, commissioned and calibrated")
    agreed = 0
    for apart in options.aparts:
        counts: Counter[str] = Counter()
        for number in range(options.first, options.first + options.scenes):
            by_table, by_host = throw(rigs[number % len(rigs)], apart, number)
            for name, read in (("table", by_table), ("host", by_host)):
                counts[name] += read not in ("right", "refused")
            is_paid = by_table == by_host != "refused"
            counts["right"] += is_paid and by_table == "right"
            counts["agreed"] += is_paid and by_table != "right"
        agreed += counts["agreed"]
        print(
            f"lenses {apart:g} edges apart, {options.scenes} throws: wrong by the table"
            f" {counts['table']}, by the host {counts['host']}, by both alike {counts['agreed']};"
            f" paid right {counts['right']}",
            flush=True,
        )
    return 1 if agreed else 0


if __name__ == "__main__":
    sys.exit(main())
