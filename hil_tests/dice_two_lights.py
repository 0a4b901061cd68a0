"""How often a highlight makes a face of a table with two lights in turn: `make dice BY=lights`.

    python -m hil_tests.dice_two_lights [--rigs N] [--from-rig N] [--scenes N] [APART ...]

A dark die, a 2 or a 4, has the worst highlight of the first light in the middle of its top, with
grey and size of a pip, so that no reader of one frame can tell it from one. A top is a mirror, so
the second light is mirrored at another place of the die, or beside it. APART: edges of a die
between both lights. Then plain throws, of light dice too. Rigs are those of `hil_tests.dice_rigs`,
each commissioned under both lights: shadows and the slope of the floor's grey are turned round.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hil_tests import dice_rigs
from hil_tests.dice_rigs import Die, Floats, Tray
from hil_tests.dice_two_cameras import LAMP, glint, mirrored
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tabletools.errors import ToolError

APARTS = (1.0, 2.0, 4.0, 8.0)
REFUSED = "refused"
_LEAST_READ = 0.95
_READ = 1
Rigs = Sequence[tuple[Tray, bytes]]
"""A tray under each light, and its file."""


def rigs_of(seed: int) -> Rigs | None:
    """Return a rig under both lights, None if either is refused."""
    first = dice_rigs.tray_of(seed)
    (x, y), (right, down) = first.light, first.tilt
    trays = first, replace(first, light=(-x, -y), tilt=(-right, -down))
    try:
        return [(tray, dice_rigs.commission(tray)) for tray in trays]
    except ToolError:
        return None


def verdicts(rigs: Rigs, dice: list[Die], pictures: Sequence[Floats], number: int) -> list[str]:
    """Return the faces read under each light, or REFUSED."""
    read = []
    for light, ((tray, file), picture) in enumerate(zip(rigs, pictures, strict=True)):
        reader = Reader(Rig(file))
        frame = dice_rigs.exposed(tray, picture, 2 * number + light)
        reason = finish(reader.steps(frame.grey, len(dice)))
        read.append(" ".join(map(str, reader.values)) if reason == _READ else REFUSED)
    return read


def mirror(rigs: Rigs, apart: float, number: int) -> tuple[str, list[str]]:
    """Return the face of a die with a highlight of each light, and what is read under each."""
    tray = rigs[0][0]
    rng = np.random.default_rng([67, number])
    x, y = (float(rng.uniform(-far, far)) for far in dice_rigs.reach(tray))
    die = Die(x, y, int(rng.choice((2, 4))), rng.uniform(0, 6.28), tray.dice)
    high, way = rng.uniform(*LAMP), rng.uniform(0, 2 * math.pi)
    beyond = (tray.above + high - 2) / (tray.above - 1)
    pictures: list[Floats] = []
    for far in (0.0, apart):
        lamp = x * beyond + far * math.cos(way), y * beyond + far * math.sin(way), high
        lit = rigs[len(pictures)][0]
        place = mirrored((0.0, 0.0, tray.above), lamp)
        pictures.append(glint(lit, die, place, dice_rigs.draw(lit, [die])))
    return str(die.value), verdicts(rigs, [die], pictures, number)


def plain(rigs: Rigs, number: int) -> tuple[str, list[str]]:
    """Return the faces of a throw, and what is read under each light."""
    rng = np.random.default_rng([71, number])
    dice = dice_rigs.thrown(rigs[0][0], rng)
    pictures = [dice_rigs.draw(tray, dice) for tray, _ in rigs]
    return " ".join(map(str, sorted(die.value for die in dice))), verdicts(
        rigs, dice, pictures, number
    )


def counted(throws: Sequence[tuple[str, list[str]]]) -> Counter[str]:
    """Return how many are read by one light and by both alike, and how many of them wrong."""
    counts: Counter[str] = Counter()
    for true, (first, second) in throws:
        counts["one"] += first != REFUSED
        counts["one wrong"] += first not in (REFUSED, true)
        is_read = first == second != REFUSED
        counts["both"] += is_read
        counts["both wrong"] += is_read and first != true
    return counts


def main() -> int:
    """Print a line for each distance between the lights and one for plain throws; 1: a wrong face
    under both, or too few plain throws read."""
    options = dice_rigs.options_of(__doc__, 60, "aparts", float, APARTS)
    rigs = dice_rigs.accepted(rigs_of, options)
    dark = [each for each in rigs if each[0][0].dice.body < each[0][0].dice.pip]
    print(
        f"{len(rigs)} of {options.rigs} rigs are commissioned under both lights, {len(dark)} dark"
    )
    numbers = range(options.first, options.first + options.scenes)
    wrong = 0
    for apart in options.aparts:
        counts = counted([mirror(dark[number % len(dark)], apart, number) for number in numbers])
        wrong += counts["both wrong"]
        print(f"lights {apart:g} edges apart, highlights: {_line(counts, len(numbers))}")
    counts = counted([plain(rigs[number % len(rigs)], number) for number in numbers])
    print(f"plain: {_line(counts, len(numbers))}")
    is_short = counts["both"] < _LEAST_READ * counts["one"]
    return 1 if wrong or counts["both wrong"] or is_short else 0


def _line(counts: Counter[str], throws: int) -> str:
    return (
        f"of {throws} throws one light reads {counts['one']}, {counts['one wrong']} wrong, both"
        f" alike {counts['both']}, {counts['both wrong']} wrong"
    )


if __name__ == "__main__":
    sys.exit(main())
