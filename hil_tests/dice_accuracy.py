"""How well dice are read: rendered scenes, and photographs where there are any: `make dice`.

    python -m hil_tests.dice_accuracy [--data FOLDER] [--scenes N] [--noise SIGMA]
                                      [--change NAME] [--half tuned|held] [--plain]

FOLDER holds labels.csv (file, source, n, values, flags) and the pictures it names. The network
learned from the half "tuned" (by the SHA-256 of the file's name) and never from "held". For each
group: pictures accepted, of these wrong (other faces lie there, or a die leans, is cut off or has
something beside it), and refused, by reason. A table knows how many dice it has, so one that lies
below another, or a face on paper beside them, is `count_wrong`; "any count": how many would be
wrong for who does not know it.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageOps

from hil_tests.dice_foreign import KINDS as THINGS
from hil_tests.dice_foreign import with_strip, with_thing
from hil_tests.dice_second_view import SEEN_ASIDE
from hil_tests.dice_second_view import table as aside_table
from hil_tests.dice_trays import KINDS, Box, on_tray
from hil_tests.dice_whole_frames import whole_frames
from tableemulator.machines.dice_tray.rendering import camera_noise, render
from tableemulator.machines.dice_tray.scene_families import FAMILIES, scene
from tabletools.dice import Frame, open_picture
from tabletools.dice.host_reading import read_picture
from tabletools.dice.one_throw import average
from tabletools.dice.overhead.host_tray import LEAST_SIDE_PX
from tabletools.dice.reasons import COUNT_WRONG, NAMES
from tabletools.dice.reference import Reference, pixels

FEW = 6  # dice of a round
THROW_NOISE = 5.0  # sigma of the frames of a throw, greys
PLAIN = "byler_d6, up to six"  # from above, nothing that makes a die hard to read
WHOLE = f"whole frames, dice of {LEAST_SIDE_PX} px"  # nothing that makes a die hard to read
# Labels that are wrong: the pictures show a three and a four plainly.
CORRECTED = {
    "IMG_20191209_095954.png": [1, 2, 3, 5, 5],
    "IMG_20191209_095439.png": [1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6],
}
# What is done to a photograph before it is read.
CHANGES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "none": lambda picture: picture,
    "turned": lambda picture: picture.transpose(Image.Transpose.ROTATE_90),
    "upside down": lambda picture: picture.transpose(Image.Transpose.ROTATE_180),
    "turned back": lambda picture: picture.transpose(Image.Transpose.ROTATE_270),
    "mirrored": ImageOps.mirror,
    "compressed": lambda picture: _compress(picture, 70),
    "noisy": lambda picture: _noisy(picture, 3.0),
    "shifted": lambda picture: ImageChops.offset(picture, 1, 1),
    "smaller": lambda picture: _resize(picture, 80),
    "larger": lambda picture: _resize(picture, 125),
    "dimmed": lambda picture: picture.point(lambda grey: grey // 2),
    "pale": lambda picture: picture.point(lambda grey: 50 + grey * 3 // 5),
    "inverted": ImageOps.invert,
}


def _resize(picture: Image.Image, percent: int) -> Image.Image:
    size = picture.width * percent // 100, picture.height * percent // 100
    return picture.resize(size, Image.Resampling.LANCZOS)


def _compress(picture: Image.Image, quality: int) -> Image.Image:
    jpeg = BytesIO()
    picture.save(jpeg, "JPEG", quality=quality)
    return Image.open(jpeg)


def _noisy(picture: Image.Image, sigma: float) -> Image.Image:
    return Image.frombytes("L", picture.size, camera_noise(picture.tobytes(), sigma, 1))


# Of these a verdict ought to survive 95 in 100; the others are harder.
SURVIVED = (
    "turned",
    "upside down",
    "turned back",
    "mirrored",
    "shifted",
    "smaller",
    "larger",
    "compressed",
    "noisy",
)


def is_held(name: str) -> bool:
    """Return whether a file is of the half that nothing was chosen on."""
    return bool(hashlib.sha256(name.encode()).digest()[0] & 1)


@dataclass(frozen=True)
class Case:
    """A picture and the faces on top in it; readable: False when it has to be refused, as a die
    leans."""

    group: str
    name: str
    frame: Frame
    values: list[int]
    readable: bool = True
    reference: Reference | None = None


@dataclass(frozen=True)
class Verdict:
    """What was read of a case."""

    case: Case
    reason: str
    values: list[int]

    @property
    def accepted(self) -> bool:
        """The faces were reported."""
        return not self.reason

    @property
    def misread(self) -> bool:
        """The faces were reported, and are not those that lie there."""
        return self.accepted and self.values != self.case.values

    @property
    def wrong(self) -> bool:
        """The faces were reported, and are not those that lie there, or have to be refused."""
        return self.misread or (self.accepted and not self.case.readable)

    @property
    def counted_reason(self) -> str:
        """The reason for a refusal where it is known how many dice there are."""
        is_other = self.accepted and len(self.values) != len(self.case.values)
        return NAMES[COUNT_WRONG] if is_other else self.reason


def rendered(families: Iterable[str], seeds: Iterable[int]) -> Iterator[Case]:
    """Yield scenes; a seed that leaves no room for its dice is passed over."""
    for family in families:
        for seed in seeds:
            try:
                rendering = scene(family, seed)
            except ValueError:
                continue
            frame = Frame(rendering.width, rendering.height, render(rendering, seed))
            yield Case(family, f"{family} {seed}", frame, rendering.values, rendering.readable)


REFERRED = ("clean", "rimmed", "walled", "arm", "cut", "cocked", "stacked")


def rendered_rigs(families: Iterable[str], seeds: Iterable[int]) -> Iterator[Case]:
    """Yield scenes, each with the empty tray it was rendered in."""
    for case in rendered(families, seeds):
        family, seed = case.name.split()
        rendering = dataclasses.replace(scene(family, int(seed)), dice=[], arm=False)
        empty = Frame(rendering.width, rendering.height, render(rendering, int(seed) + 1))
        group = f"{case.group}, with reference"
        yield dataclasses.replace(case, group=group, reference=Reference(pixels(empty)))


def with_things(kinds: Iterable[str], seeds: Iterable[int]) -> Iterator[Case]:
    """Yield throws with something beside the dice that is none: they have to be refused."""
    for kind in kinds:
        for seed in seeds:
            try:
                rendering, rows = with_thing(kind, seed)
            except ValueError:
                continue
            frame = Frame(rendering.width, rendering.height, rows.tobytes())
            yield Case(
                f"beside a {kind}", f"{kind} {seed}", frame, rendering.values, readable=False
            )


def under_strips(seeds: Iterable[int]) -> Iterator[Case]:
    """Yield throws of which a strip along a side covers a die: they have to be refused."""
    for seed in seeds:
        try:
            rendering, rows = with_strip(seed)
        except ValueError:
            continue
        frame = Frame(rendering.width, rendering.height, rows.tobytes())
        yield Case("under a strip", f"strip {seed}", frame, rendering.values, readable=False)


def on_trays(folder: Path) -> Iterator[Case]:
    """Yield the plain photographs from above with up to six dice, on drawn trays."""
    boxes: dict[str, list[Box]] = {}
    with (folder / "boxes.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            box = (float(row["x0"]), float(row["y0"]), float(row["x1"]), float(row["y1"]))
            boxes.setdefault(Path(row["file"]).name, []).append(box)
    cases = [*plain(folder)]
    for kind in KINDS:
        for seed, case in enumerate(cases):
            picture, empty = on_tray(pixels(case.frame), boxes[case.name], kind, seed)
            frame = Frame(case.frame.width, case.frame.height, picture.tobytes())
            yield dataclasses.replace(
                case, group=f"on a tray: {kind}", frame=frame, reference=Reference(empty)
            )


def in_whole_frames(folder: Path) -> Iterator[Case]:
    """Yield the photographs from above as whole frames, floor and empty tray known."""
    for whole in whole_frames(folder):
        group = WHOLE if whole.least_px >= LEAST_SIDE_PX else "whole frames, smaller dice"
        group += "" if whole.is_plain else ", hard to see"
        values = _faces(whole.name, whole.values)
        yield Case(group, whole.name, whole.frame, values, reference=whole.reference)


def throws(folder: Path) -> Iterator[Case]:
    """Yield the plain photographs from above, each as four frames of one throw in noise."""
    for case in plain(folder):
        width, height = case.frame.width, case.frame.height
        frames = [
            Frame(width, height, camera_noise(case.frame.grey, THROW_NOISE, seed))
            for seed in range(4)
        ]
        moved = Frame(width, height, bytes(width * height))  # too dark: refused
        yield dataclasses.replace(
            case, group="a throw of four frames", frame=average(frames) or moved
        )


def photographs(folder: Path, noise: float = 0.0, change: str = "none") -> Iterator[Case]:
    """Yield the pictures of a folder, changed, then noise of that sigma added."""
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for seed, row in enumerate(rows):
        frame = _change(folder / row["file"], CHANGES[change])
        grey = camera_noise(frame.grey, noise, seed)
        size = "up to six" if int(row["n"]) <= FEW else "more than six"
        group = f"{row['source']}, {size}" + (f", {row['flags']}" if row["flags"] else "")
        name = Path(row["file"]).name
        values = _faces(name, row["values"])
        yield Case(group, name, Frame(frame.width, frame.height, grey), values)


def _faces(name: str, labelled: str) -> list[int]:
    return CORRECTED.get(name, sorted(map(int, labelled.split())))


def plain(folder: Path, change: str = "none") -> Iterator[Case]:
    """Yield the plain photographs from above with up to six dice, changed."""
    return (case for case in photographs(folder, change=change) if case.group == PLAIN)


def _change(path: Path, change: Callable[[Image.Image], Image.Image]) -> Frame:
    with tempfile.TemporaryDirectory() as folder, Image.open(path) as picture:
        copy = Path(folder) / "picture.png"
        change(picture.convert("L")).save(copy)
        return open_picture(copy)


def read(cases: Iterable[Case], *, count_known: bool = False) -> Iterator[Verdict]:
    """Yield the verdict of the host on each case."""
    for case in cases:
        expected = len(case.values) if count_known else 0
        reading = read_picture(case.frame, expected, case.reference)
        yield Verdict(case, reading.reason, reading.dice)


def table(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield the lines of the report, the wrong ones named at the end."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.case.group, []).append(verdict)
    yield f"{'pictures':<38}{'all':>5}{'accepted':>10}{'wrong':>7}{'any count':>11}  refused"
    wrong = []
    for group, cases in groups.items():
        reasons = Counter(v.counted_reason for v in cases)
        accepted = reasons.pop("", 0)
        refused = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
        bad = [verdict for verdict in cases if verdict.wrong]
        counted = sum(not verdict.counted_reason for verdict in bad)
        yield f"{group:<38}{len(cases):>5}{accepted:>10}{counted:>7}{len(bad):>11}  {refused}"
        wrong += bad
    for verdict in wrong:
        lies = verdict.case.values if verdict.misread else "to be refused,"
        read_as = f"{lies} read as {verdict.values}"
        whose = " for any count" if verdict.counted_reason else ""
        yield f"wrong{whose}: {verdict.case.name}: {read_as}"


def survivals(folder: Path, half: str | None) -> Iterator[str]:
    """Yield of the plain photographs from above that are accepted how many still are, changed."""

    def accepted(change: str) -> list[Verdict]:
        cases = _half(plain(folder, change), half)
        return [verdict for verdict in read(cases) if verdict.accepted]

    names = {verdict.case.name for verdict in accepted("none")}
    yield f"{'accepted pictures, changed':<38}{'all':>5}{'accepted':>10}{'wrong':>7}"
    for change in SURVIVED:
        verdicts = accepted(change)
        stays = len([verdict for verdict in verdicts if verdict.case.name in names])
        wrong = sum(verdict.wrong for verdict in verdicts)
        yield f"{change:<38}{len(names):>5}{stays:>10}{wrong:>7}"


def _half(cases: Iterable[Case], half: str | None) -> Iterator[Case]:
    for case in cases:
        if half is None or is_held(case.name) == (half == "held"):
            yield case


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description="Measure how well dice are read.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="photographs and labels.csv")
    parser.add_argument("--scenes", type=int, default=10, help="scenes of each family")
    parser.add_argument("--noise", type=float, default=0.0, help="sigma added to photographs")
    parser.add_argument("--change", choices=CHANGES, default="none", help="of photographs")
    parser.add_argument("--half", choices=("tuned", "held"), help="of the photographs")
    parser.add_argument("--plain", action="store_true", help="of photographs the plain ones alone")
    options = parser.parse_args()
    groups: list[Iterable[Case]] = []
    if options.data:
        every = photographs(options.data, options.noise, options.change)
        wanted = (case for case in every if case.group == PLAIN or not options.plain)
        whole = in_whole_frames(options.data)
        kinds = (whole, wanted, throws(options.data), on_trays(options.data))
        groups += [_half(cases, options.half) for cases in kinds]
    groups.append(rendered(FAMILIES, range(options.scenes)))
    groups.append(rendered_rigs(REFERRED, range(options.scenes)))
    groups.append(with_things(THINGS, range(options.scenes)))
    groups.append(under_strips(range(4 * options.scenes)))
    if options.data:
        for line in survivals(options.data, options.half):
            print(line, flush=True)
    for cases in groups:
        for line in table(read(cases)):
            print(line, flush=True)
    for line in aside_table(SEEN_ASIDE, range(options.scenes)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
