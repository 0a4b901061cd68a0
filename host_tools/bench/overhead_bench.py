"""The host's reader with its own camera, beside OpenCV's SimpleBlobDetector on the same frames.

CPU time of one core for a frame of 640 x 480 of a look, all that is done with it: averaged,
compared with the empty tray, read, and each die's outline measured.
"""

import statistics
import time
from collections.abc import Callable

import cv2

from hil_tests.dice_overhead import OverheadRig, calibrate, rig_of, throw_of
from host_tools.bench.figure import judged, reported
from tabletools.dice.overhead.capture import FRAMES, grey_of
from tabletools.dice.overhead.host_tray import HostTray
from tabletools.dice.overhead.throw import read_greys
from tabletools.dice.picture_patches import Grey

RIGS = 0, 3, 6  # dice of 29, 39 and 49 px: smaller ones take longer
THROWS = 12  # of each
MOST_MS, MOST_RATIO = 60, 3.0


def looks(rig: OverheadRig) -> list[tuple[list[Grey], int]]:
    """Return the frames of a look at each throw, in grey, and how many dice it has."""
    throws = [throw_of(rig, "plain", number) for number in range(THROWS)]
    return [
        ([grey_of(each) for each in rig.frames(frame, FRAMES, number)], len(values))
        for number, (values, frame) in enumerate(throws)
    ]


def cpu_ms(action: Callable[[], object]) -> float:
    """Return milliseconds of CPU time that an action takes, of all threads."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1000


def took_ms(tray: HostTray, greys: list[Grey], dice: int) -> tuple[float, float, float]:
    """Return ms of a look, of its first frame read alone, and of the detector on all its frames;
    each is done once before."""
    detector = cv2.SimpleBlobDetector_create()
    actions = (
        lambda: read_greys(tray, greys, dice),
        lambda: read_greys(tray, greys[:1], dice),
        lambda: [detector.detect(grey) for grey in greys],
    )
    for action in actions:
        action()
    look, alone, blobs = map(cpu_ms, actions)
    return look, alone, blobs


def figures() -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    cv2.setNumThreads(1)
    took = [
        took_ms(tray, greys, dice)
        for rig, tray in ((rig, calibrate(rig)) for rig in map(rig_of, RIGS))
        for greys, dice in looks(rig)
    ]
    look, alone, blobs = (statistics.median(each) for each in zip(*took, strict=True))
    frame = round(look / FRAMES, 1)
    ratio = round(statistics.median(look / blobs for look, _, blobs in took), 2)
    name = "dice: host, a frame of 640 x 480"
    return [
        reported(f"dice: host, a look at {FRAMES} frames of 640 x 480", round(look, 1), "ms"),
        judged(f"{name} alone", round(alone, 1), "ms", MOST_MS, is_met=alone <= MOST_MS),
        judged(f"{name}, of a look", frame, "ms", MOST_MS, is_met=frame <= MOST_MS),
        reported("dice: SimpleBlobDetector, a frame", round(blobs / FRAMES, 1), "ms"),
        judged(
            f"{name}, of a look, of it", ratio, "times", MOST_RATIO, is_met=ratio <= MOST_RATIO
        ),
    ]
