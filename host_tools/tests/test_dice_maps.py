"""The host's networks: faces on scenes of the emulator's renderer, which they never saw, and when
what they see is not enough."""

import numpy as np
import pytest

from hil_tests.emulators.dice_tray.rendering import Die, Scene, Style, render
from tablelogic.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    CUT_OFF,
    FOREIGN,
    NO_DICE,
    READ,
    UNREADABLE,
)
from tabletools.dice import Frame, host_reading, reading_by_maps
from tabletools.dice.host_reading import agreed
from tabletools.dice.maps import Sight, Top
from tabletools.dice.pip_lattice import face_of
from tabletools.dice.pips import Pips
from tabletools.dice.reading_by_maps import Seen, read_by_maps

SIZE = 32  # cells of a map of pips, the die 18 of them wide
PITCH = 4.5
# Columns and rows of the pips of each face, from its middle.
CORNERS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
FACES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: CORNERS,
    5: [*CORNERS, (0, 0)],
    6: [*CORNERS, (-1, 0), (1, 0)],
}


def drawn(pips, turn=0.3, strengths=None, beside=(0.2, 0.1)):
    """A map with a round peak at each pip of a lattice that is turned, in the middle or beside."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE] - (SIZE - 1) / 2
    found = np.zeros((SIZE, SIZE), np.float32)
    c, s = np.cos(turn) * PITCH, np.sin(turn) * PITCH
    for (u, v), strength in zip(pips, strengths or [0.9] * len(pips), strict=True):
        x, y = u * c - v * s + beside[0], u * s + v * c + beside[1]
        peak = strength * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / 2)
        found = np.maximum(found, peak)
    return found.astype(np.float32)


@pytest.mark.parametrize("value", FACES)
@pytest.mark.parametrize("turn", [0.0, 0.3, 0.8, 1.4])
def test_pips_on_a_lattice_make_a_face(value, turn):
    """However it is turned; all pips are as clear, and nothing else is there."""
    found = face_of(drawn(FACES[value], turn))
    assert found.value == value
    assert found.share > 70


@pytest.mark.parametrize("pips", [
    [*CORNERS[:3]],
    [*CORNERS, (0, 1)],
    [(-1, -1), (0, 0), (1, 0)],
    [(-1, 0), (0, 0), (1, 0), (0, 1)],
])  # fmt: skip
def test_pips_beside_the_lattice_make_none(pips):
    """Three corners, five without the middle one, a bent three, a T."""
    assert face_of(drawn(pips)).share < 20


def test_one_pip_beside_the_middle_is_no_one():
    """Glare hides the other pip of a two."""
    assert face_of(drawn([(0, 0)])).value == 1
    assert face_of(drawn([(0, 0)], beside=(3.0, 0.0))).value == 0


def test_a_pip_half_seen_leaves_a_face_unsure():
    """A five whose middle one may be glare: the share is what parts it from a four."""
    found = face_of(drawn(FACES[5], strengths=[0.9, 0.9, 0.9, 0.9, 0.5]))
    assert found.share < 55


def frame(dice, arm=False):
    """A throw on dark cloth, the lens high above: 160 x 120."""
    made = Scene(scale=26.0, above=30.0, shadow=0.1, noise=1.0, arm=arm)
    made.dice = [Die(x, y, value, 0.4, Style()) for x, y, value in dice]
    grey = np.frombuffer(bytes(render(made, 4)), np.uint8)
    return np.ascontiguousarray(grey.reshape(made.height, made.width))


@pytest.mark.parametrize("turn", range(4))
def test_dice_of_another_renderer_are_read(turn):
    """All six faces, in every quarter turn."""
    for values in ((5, 2), (1, 6), (3, 4)):
        dice = [(-1.5, 0.2, values[0]), (1.4, -0.3, values[1])]
        seen = read_by_maps(np.ascontiguousarray(np.rot90(frame(dice), turn)))
        assert (seen.reason, seen.values, seen.dice) == (READ, sorted(values), 2)


def test_an_empty_tray_and_an_arm_are_no_throw():
    """Also an arm over dice that can be read."""
    assert read_by_maps(frame([])).reason == NO_DICE
    assert read_by_maps(frame([(1.4, -0.3, 2)], arm=True)).reason == FOREIGN


def seen_as(monkeypatch, tops, pips, foreign=0, die=0):
    """What is made of tops and pips given, with so many cells foreign, or a die beside tops."""
    cells = np.zeros((30, 40), np.float32)
    sight = Sight(tops, cells.copy(), cells.copy())
    sight.foreign.flat[:foreign] = 1
    sight.die.flat[:die] = 1
    monkeypatch.setattr(reading_by_maps, "look", lambda _: sight)
    monkeypatch.setattr(reading_by_maps, "pip_maps", lambda *_: [None] * len(tops))
    left = iter(pips)
    monkeypatch.setattr(reading_by_maps, "face_of", lambda _: next(left))
    return read_by_maps(np.zeros((120, 160), np.uint8))


FIVE, TWO = Top(80, 60, 26, 5, 0.9), Top(120, 60, 26, 2, 0.9)


@pytest.mark.parametrize(("tops", "pips", "beside", "reason", "values"), [
    ([FIVE, TWO], [Pips(5, 60), Pips(2, 60)], {}, READ, [2, 5]),
    ([FIVE, TWO], [Pips(5, 60), Pips(3, 60)], {}, UNREADABLE, [5]),  # two readings differ
    ([FIVE, TWO], [Pips(5, 60), Pips(2, 30)], {}, UNREADABLE, [5]),  # a pip hardly seen
    ([FIVE, Top(120, 60, 26, 2, 0.5)], [Pips(5, 60), Pips(2, 60)], {}, UNREADABLE, [5]),
    ([FIVE, Top(120, 60, 26, 0, 0.9)], [Pips(5, 60), Pips(2, 60)], {}, UNREADABLE, [5]),  # leans
    ([FIVE, Top(92, 60, 26, 2, 0.9)], [Pips(5, 60), Pips(2, 60)], {}, AMBIGUOUS, [2, 5]),
    ([FIVE], [Pips(5, 60)], {"foreign": 4}, FOREIGN, [5]),
    ([FIVE], [Pips(5, 60)], {"foreign": 3}, READ, [5]),
    ([FIVE], [Pips(5, 60)], {"die": 4}, CUT_OFF, [5]),
    ([], [], {}, NO_DICE, []),
])  # fmt: skip
def test_what_makes_a_throw(monkeypatch, tops, pips, beside, reason, values):
    """Both networks sure of one face on each die, and nothing else there."""
    seen = seen_as(monkeypatch, tops, pips, **beside)
    assert (seen.reason, seen.values) == (reason, values)


@pytest.mark.parametrize(("before", "seen", "verdict"), [
    ((READ, [2, 5]), Seen(READ, [2, 5], 2), (READ, [2, 5])),
    ((READ, [2, 5]), Seen(UNREADABLE, [5], 2), (READ, [2, 5])),
    ((READ, [2, 5]), Seen(UNREADABLE, [4], 2), (AMBIGUOUS, [2, 5])),  # another face
    ((READ, [2, 5]), Seen(UNREADABLE, [5], 3), (AMBIGUOUS, [2, 5])),  # a coin beside them
    ((FOREIGN, []), Seen(READ, [2, 5], 2), (READ, [2, 5])),  # a fold taken for an arm
    ((UNREADABLE, [2]), Seen(READ, [2, 5], 2), (READ, [2, 5])),
    ((UNREADABLE, [2]), Seen(READ, [1, 2], 2), (UNREADABLE, [2])),  # a coin?
    ((UNREADABLE, [1]), Seen(READ, [1, 2], 2), (READ, [1, 2])),
    ((UNREADABLE, [3]), Seen(READ, [2, 5], 2), (UNREADABLE, [3])),
    ((CUT_OFF, [2]), Seen(UNREADABLE, [2], 2), (CUT_OFF, [2])),
    ((FOREIGN, []), Seen(FOREIGN, [2, 5], 2), (FOREIGN, [])),
])  # fmt: skip
def test_what_maps_may_refuse_and_what_overrule(before, seen, verdict):
    """Every face that was read has to be among theirs, and a one needs more than theirs."""
    assert agreed(*before, seen) == verdict


@pytest.mark.parametrize(("reason", "verdict"), [(FOREIGN, ""), (COCKED, "cocked")])
def test_a_lean_is_not_overruled(monkeypatch, reason, verdict):
    """The maps do not know a leaning die from one at the edge of the lens."""
    monkeypatch.setattr(host_reading, "_read", lambda _: (reason, [2, 5]))
    monkeypatch.setattr(host_reading, "read_by_maps", lambda _: Seen(READ, [2, 5], 2))
    assert host_reading.read_picture(Frame(160, 120, bytes(160 * 120))).reason == verdict
