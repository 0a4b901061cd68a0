"""The host's reading: faces on scenes of the emulator's renderer, which the network never saw, and
when what is seen is not enough."""

from dataclasses import replace

import numpy as np
import pytest

from tableemulator.machines.dice_tray.rendering import Die as Rendered
from tableemulator.machines.dice_tray.rendering import Scene, Style, render
from tabletools.dice import reading_by_maps
from tabletools.dice.maps import CELL, DIE, PATCH, Die, Sight, Top, look, look_closer
from tabletools.dice.pip_lattice import face_of
from tabletools.dice.pips import Pips
from tabletools.dice.reading_by_maps import read_by_maps
from tabletools.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    CUT_OFF,
    FOREIGN,
    NO_DICE,
    READ,
    TOO_DARK,
    UNREADABLE,
)

PITCH = 0.25 * DIE
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


def drawn(pips, turn=0.3, strengths=None, beside=(0.3, 0.2)):
    """A map with a round peak at each pip of a lattice that is turned, in the middle or beside."""
    rows, columns = np.mgrid[0:PATCH, 0:PATCH] - (PATCH - 1) / 2
    heat = np.zeros((PATCH, PATCH), np.float32)
    c, s = np.cos(turn) * PITCH, np.sin(turn) * PITCH
    for (u, v), strength in zip(pips, strengths or [0.9] * len(pips), strict=True):
        x, y = u * c - v * s + beside[0], u * s + v * c + beside[1]
        peak = strength * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / 5)
        heat = np.maximum(heat, peak)
    return heat.astype(np.float32)


@pytest.mark.parametrize("value", FACES)
@pytest.mark.parametrize("turn", [0.0, 0.3, 0.8, 1.4])
def test_pips_on_a_lattice_make_a_face(value, turn):
    """However it is turned; all pips are as clear, and nothing else is there."""
    face = face_of(drawn(FACES[value], turn))
    assert face.value == value
    assert face.share > 70


@pytest.mark.parametrize(
    "pips",
    [
        [*CORNERS[:3]],
        [*CORNERS, (0, 1)],
        [(-1, -1), (0, 0), (1, 0)],
        [(-1, 0), (0, 0), (1, 0), (0, 1)],
    ],
)
def test_pips_beside_the_lattice_make_none(pips):
    """Three corners, five without the middle one, a bent three, a T."""
    assert face_of(drawn(pips)).share < 20


def test_one_pip_beside_the_middle_is_no_one():
    """Glare hides the other pip of a two."""
    assert face_of(drawn([(0, 0)])).value == 1
    assert face_of(drawn([(0, 0)], beside=(5.0, 0.0))).value == 0


def test_a_pip_half_seen_leaves_a_face_unsure():
    """A five whose middle one may be glare: the share is what parts it from a four."""
    face = face_of(drawn(FACES[5], strengths=[0.9, 0.9, 0.9, 0.9, 0.5]))
    assert face.share < 55


def frame(dice, style=Style(), arm=False):  # noqa: B008
    """A throw on dark cloth, the lens high above: 160 x 120."""
    scene = Scene(scale=26.0, above=30.0, shadow=0.1, noise=1.0, arm=arm)
    scene.dice = [Rendered(x, y, value, 0.4, style) for x, y, value in dice]
    grey = np.frombuffer(bytes(render(scene, 4)), np.uint8)
    return np.ascontiguousarray(grey.reshape(scene.height, scene.width))


@pytest.mark.parametrize("turn", range(4))
def test_dice_of_another_renderer_are_read(turn):
    """All six faces, in every quarter turn."""
    for values in ((5, 2), (1, 6), (3, 4)):
        dice = [(-1.5, 0.2, values[0]), (1.4, -0.3, values[1])]
        reading = read_by_maps(np.ascontiguousarray(np.rot90(frame(dice), turn)))[:2]
        assert reading == (READ, sorted(values))


BARE = Style(pip=231)  # pips of nearly the body's grey


@pytest.mark.parametrize(
    ("colours", "expected"),
    [
        ([], (UNREADABLE, [])),
        ([[5, 2], None, None], (READ, [2, 5])),
        ([None, None, [5, 2]], (READ, [2, 5])),
        ([[5, 2], [5, 2], None], (READ, [2, 5])),
        ([[5, 2], None, [6, 2]], (AMBIGUOUS, [])),
        ([None, None, None], (UNREADABLE, [])),
    ],
)
def test_a_face_that_luminance_hides_is_read_in_a_colour(colours, expected):
    """Such as black pips on a red die: in red they are clear. Two colours may not differ."""
    places = (-1.5, 0.2), (1.4, -0.3)
    hidden = frame([(*place, value) for place, value in zip(places, (5, 2), strict=True)], BARE)
    planes = [
        hidden
        if values is None
        else frame([(*point, v) for point, v in zip(places, values, strict=True)])
        for values in colours
    ]
    assert read_by_maps(hidden, planes=planes)[:2] == expected


@pytest.mark.parametrize(("chance", "reason"), [(0.9, UNREADABLE), (0.96, READ)])
def test_a_colour_has_to_be_sure(monkeypatch, chance, reason):
    """More so than luminance: it is looked at only after that."""
    seen_as(monkeypatch, [top(80, 60, 5, 0.5)], Pips(5, 60), Pips(5, 60))
    black, red = np.full((120, 160), 90, np.uint8), np.full((120, 160), 91, np.uint8)

    def closer(picture, tops, _turns, sizes=(1.0,)):
        one_top = top(80, 60, 5, chance if picture is red else 0.5)
        return [Die(one_top, np.zeros((1, 1)), 0.9) for _ in tops]

    monkeypatch.setattr(reading_by_maps, "look_closer", closer)
    assert read_by_maps(black, planes=[red, black, black])[0] == reason


def test_an_empty_tray_an_arm_and_the_dark_are_no_throw():
    """Also an arm over dice that can be read."""
    assert read_by_maps(frame([]))[0] == NO_DICE
    assert read_by_maps(frame([(1.4, -0.3, 2)], arm=True))[0] == FOREIGN
    assert read_by_maps(np.zeros((120, 160), np.uint8)) == (TOO_DARK, [], [])


def test_a_top_is_found_where_it_lies_and_its_foot_towards_the_middle():
    """26 px wide; the foot of a die right of the middle is seen left of its top."""
    (top,) = look(frame([(1.8, 0.0, 5)])).tops
    # The lens is 30 edges above the table: a top is seen 30 / 29 as far out.
    assert top.x == pytest.approx(80 + 1.8 * 26 * 30 / 29, abs=2)
    assert top.y == pytest.approx(60, abs=2)
    assert top.side == pytest.approx(26 * 30 / 29, rel=0.1)
    for turns in ([0.4, 2.5], [1.8]):
        (die,) = look_closer(frame([(1.8, 0.0, 5)]), [top], turns)
        assert die.top.foot == pytest.approx((-1.8 / 30, 0), abs=0.1)


def top(x, y, value, chance=0.96, **other):
    """A flat die of 26 px."""
    chances = np.full(7, (1 - chance) / 6, np.float32)
    chances[value] = chance
    more = {"side": 26, "lean": 0.0, "foot": (0.0, 0.0), "heat": 0.9, "body": 0.9, **other}
    return Top(x=x, y=y, chances=chances, **more)


def seen_as(monkeypatch, tops, by_map, by_lattice, foreign=(), die=()):
    """What is made of tops and pips given, with cells that are foreign, or a die beside tops."""
    return read_of(monkeypatch, tops, by_map, by_lattice, foreign, die)[:2]


def read_of(monkeypatch, tops, by_map, by_lattice, foreign=(), die=(), outlined=False):
    """The same with the tops that are read."""
    cells = np.zeros((30, 40), np.float32)
    sight = Sight(tops, cells.copy(), cells.copy())
    for kind, cells_of_kind in ((sight.foreign, foreign), (sight.die, die)):
        for row, column in cells_of_kind:
            kind[row, column] = 1
    pips = np.zeros((1, 1), np.float32)
    monkeypatch.setattr(reading_by_maps, "look", lambda _, things=None: sight)
    monkeypatch.setattr(
        reading_by_maps,
        "look_closer",
        lambda _, tops_given, turns, sizes=(1.0,): [
            Die(each, pips, each.body) for each in tops_given
        ],
    )
    monkeypatch.setattr(reading_by_maps, "face_of", lambda _: by_map)
    monkeypatch.setattr(reading_by_maps, "read_pips", lambda *_: by_lattice)
    return read_by_maps(np.full((120, 160), 90, np.uint8), outlined=outlined)


FIVE = top(80, 60, 5)
NONE = Pips(0, 0.0)


@pytest.mark.parametrize(
    ("one_top", "by_map", "by_lattice", "reason"),
    [
        (FIVE, Pips(5, 60), Pips(5, 60), READ),
        (FIVE, Pips(5, 12), NONE, READ),  # one reading of the pips is enough
        (FIVE, NONE, Pips(5, 12), READ),
        (FIVE, NONE, NONE, UNREADABLE),  # the network alone is not
        (FIVE, NONE, Pips(5, 8), UNREADABLE),  # a pip hardly seen
        (FIVE, NONE, Pips(4, 20), UNREADABLE),
        (FIVE, NONE, Pips(4, 30), AMBIGUOUS),  # another face, clearly
        (FIVE, Pips(5, 20), Pips(4, 30), AMBIGUOUS),
        (
            FIVE,
            Pips(5, 40),
            Pips(4, 30),
            AMBIGUOUS,
        ),  # a three read as a two: the picture showed it
        (FIVE, Pips(4, 30), Pips(5, 40), READ),
        (FIVE, Pips(4, 30), Pips(5, 30), AMBIGUOUS),
        (
            top(80, 60, 5, 0.85),
            Pips(4, 30),
            Pips(5, 40),
            AMBIGUOUS,
        ),  # then the network has to be sure
        (top(80, 60, 5, 0.85), Pips(5, 40), Pips(4, 20), READ),
        (top(80, 60, 5, 0.8), Pips(5, 60), Pips(5, 60), UNREADABLE),
        (top(80, 60, 5, body=0.09), Pips(5, 60), Pips(5, 60), UNREADABLE),  # printed, or dirt
        (top(80, 60, 0), Pips(5, 60), Pips(5, 60), UNREADABLE),
    ],
)
def test_a_face_wants_the_network_and_pips(monkeypatch, one_top, by_map, by_lattice, reason):
    """What the network names, confirmed by pips, and no clearer reading of another face."""
    reading = seen_as(monkeypatch, [one_top], by_map, by_lattice)
    assert reading == (reason, [5] if reason == READ else [])


@pytest.mark.parametrize(
    ("one_top", "by_map", "by_lattice", "reason"),
    [
        (top(80, 60, 5, body=0.0), Pips(5, 60), NONE, READ),
        (top(80, 60, 5, body=0.0), NONE, Pips(5, 51), READ),
        (top(80, 60, 5, body=0.0), Pips(5, 49), Pips(5, 49), UNREADABLE),  # not clear
        (top(80, 60, 5, 0.95, body=0.0), Pips(5, 60), Pips(5, 60), READ),
        (top(80, 60, 5, 0.93, body=0.0), Pips(5, 60), Pips(5, 60), UNREADABLE),  # not sure
        (top(80, 60, 5, body=0.0), Pips(5, 60), Pips(4, 30), AMBIGUOUS),
    ],
)
def test_a_top_without_a_body_is_told_from_paper_by_its_outline(
    monkeypatch, one_top, by_map, by_lattice, reason
):
    """It is marked for who measures outlines, and unreadable where nobody does."""
    code, values, tops = read_of(monkeypatch, [one_top], by_map, by_lattice, outlined=True)
    assert (code, values) == (reason, [5] if reason == READ else [])
    assert tops[0].is_bodiless or reason == AMBIGUOUS
    assert seen_as(monkeypatch, [one_top], by_map, by_lattice) == (UNREADABLE, [])
    body = [replace(one_top, body=0.9)]
    assert not read_of(monkeypatch, body, by_map, by_lattice, outlined=True)[2][0].is_bodiless


def test_a_body_that_only_a_second_look_sees_is_proved_too(monkeypatch):
    """A face on paper below the lens, drawn by warping: the mean of twelve looks saw a die in 6 of
    700, and nothing asked for its shadow."""
    faint = top(80, 60, 5, body=0.01)
    seen_as(monkeypatch, [faint], Pips(5, 60), Pips(5, 60))

    def closer(_, tops, turns, sizes=(1.0,)):
        return [Die(each, np.zeros((1, 1), np.float32), 0.5 * (len(sizes) > 1)) for each in tops]

    monkeypatch.setattr(reading_by_maps, "look_closer", closer)
    picture = np.full((120, 160), 90, np.uint8)
    assert read_by_maps(picture)[0] == READ
    code, values, [read] = read_by_maps(picture, outlined=True)
    assert (code, values, read.is_bodiless) == (READ, [5], True)


SQUARE = [(row, column) for row in range(2, 6) for column in range(2, 5)]


@pytest.mark.parametrize(
    ("tops", "beside", "reason"),
    [
        ([FIVE, top(120, 60, 5)], {}, READ),
        ([FIVE, top(95, 60, 5)], {}, AMBIGUOUS),  # on each other
        ([top(80, 60, 5, lean=0.56)], {}, COCKED),
        ([top(80, 60, 5, lean=0.54)], {}, READ),
        ([top(80, 60, 5, foot=(0.31, 0.0))], {}, COCKED),  # a foot beside the middle
        ([top(80, 60, 5, foot=(0.28, 0.0))], {}, READ),
        ([top(80, 60, 5, lean=0.4, foot=(0.18, 0.0))], {}, COCKED),  # a little of both
        ([top(80, 60, 5, lean=0.4, foot=(0.15, 0.0))], {}, READ),
        ([top(132, 60, 5, foot=(-0.3, 0.0))], {}, READ),  # far out it is seen from aside
        ([top(132, 60, 5, foot=(0.31, 0.0))], {}, COCKED),
        ([FIVE], {"foreign": SQUARE}, FOREIGN),
        ([FIVE], {"foreign": SQUARE[1:]}, READ),
        (
            [FIVE],
            {"foreign": [(row, 0) for row in range(2)]},
            FOREIGN,
        ),  # a corner of a die, cut off
        ([FIVE], {"foreign": [(0, 0)]}, READ),
        ([FIVE], {"foreign": [(row, 0) for row in range(11)]}, READ),  # a rim is longer
        ([FIVE, top(120, 60, 5, side=17)], {}, READ),
        ([FIVE, top(120, 60, 5, side=13)], {}, AMBIGUOUS),  # not of one make
        ([top(100, 60, 5, foot=(-0.15, 0.0)), top(127, 60, 5)], {}, READ),  # side by side
        (
            [top(100, 60, 5, foot=(0.15, 0.0)), top(127, 60, 5)],
            {},
            AMBIGUOUS,
        ),  # its side, not a die
        ([top(100, 60, 5, foot=(0.15, 0.0)), top(135, 60, 5)], {}, READ),
        ([top(115, 60, 5, side=22), top(139, 60, 5, side=25)], {}, AMBIGUOUS),  # straight inwards
        ([top(115, 60, 5, side=24), top(139, 60, 5, side=25)], {}, READ),  # of one size
        ([top(139, 36, 5, side=22), top(139, 60, 5, side=25)], {}, READ),  # beside it
        ([top(80, 60, 5, side=22), top(104, 60, 5, side=25)], {}, READ),  # near the middle
        ([top(115, 60, 5, side=22), top(139, 60, 5, side=25), top(30, 60, 5)], {}, READ),
        ([FIVE], {"die": SQUARE[:3]}, CUT_OFF),
        ([FIVE], {"die": [(5, 5), (5, 6)]}, READ),
        ([top(20, 60, 5)], {"die": [(9, 0), (10, 0)]}, FOREIGN),  # beside a die, at the edge
        ([top(20, 60, 5)], {"die": [(9, 2), (10, 2)]}, READ),
        ([top(11, 60, 5)], {}, CUT_OFF),  # its left part is beyond the edge
        ([top(80, 106, 5)], {}, READ),
        ([top(80, 109, 5)], {}, CUT_OFF),
        ([], {}, NO_DICE),
    ],
)
def test_what_makes_a_throw(monkeypatch, tops, beside, reason):
    """Nothing foreign, no piece of a die, none that leans or lies on another."""
    assert seen_as(monkeypatch, tops, Pips(5, 60), Pips(5, 60), **beside)[0] == reason


@pytest.mark.parametrize(
    ("body", "level", "reason"),
    [
        (0.1, 95, READ),
        (0.1, 150, AMBIGUOUS),
        (0.3, 95, UNREADABLE),
    ],
)
def test_dirt_is_no_die(monkeypatch, body, level, reason):
    """Where neither look shows a die and the greys hardly differ: an unread top is left out."""
    picture = np.full((120, 160), 90, np.uint8)
    for x, grey in ((80, 220), (40, 20), (120, level)):
        picture[50:70, x - 10 : x + 10] = grey
    dirt = top(120, 60, 2, 0.5, body=body)
    seen_as(monkeypatch, [FIVE, top(40, 60, 5), dirt], Pips(5, 60), Pips(5, 60))
    assert read_by_maps(picture)[:2] == (reason, [5, 5])


def test_a_spot_that_is_faint_and_has_a_face_is_refused(monkeypatch):
    """Dirt beside a dark die was once read as a two: one look showed a body, and pips."""
    picture = np.full((120, 160), 90, np.uint8)
    for x, grey in ((80, 220), (120, 95)):
        picture[50:70, x - 10 : x + 10] = grey
    dirt = top(120, 60, 5, body=0.45)
    seen_as(monkeypatch, [FIVE, dirt], Pips(5, 60), Pips(5, 60))
    assert read_by_maps(picture)[0] == UNREADABLE


def test_a_die_in_doubt_is_looked_at_again(monkeypatch):
    """In more turns and three sizes at once, it alone; what that shows then counts."""
    asked = []

    def closer(_picture, tops, turns, sizes=(1.0,)):
        asked.append((len(tops), len(turns), len(sizes)))
        return [Die(each if len(turns) < 3 else FIVE, np.zeros((1, 1)), 0.9) for each in tops]

    tops = [FIVE, top(120, 60, 5, 0.5)]
    seen_as(monkeypatch, tops, Pips(5, 60), NONE)
    monkeypatch.setattr(reading_by_maps, "look_closer", closer)
    assert read_by_maps(np.full((120, 160), 90, np.uint8))[:2] == (READ, [5, 5])
    assert asked == [(2, 2, 1), (1, 4, 3)]


@pytest.mark.parametrize(("chance", "reason"), [(0.85, AMBIGUOUS), (0.95, READ)])
def test_a_die_once_contradicted_has_to_be_sure(monkeypatch, chance, reason):
    """The first look shows another face by its pips; the second one agrees."""
    seen_as(monkeypatch, [FIVE], NONE, Pips(5, 40))

    def closer(_picture, tops, turns, sizes=(1.0,)):
        first = len(turns) < 3
        pips = np.full((1, 1), 4 if first else 5)
        return [Die(top(80, 60, 5, 0.9 if first else chance), pips, 0.9) for _ in tops]

    monkeypatch.setattr(reading_by_maps, "look_closer", closer)
    monkeypatch.setattr(reading_by_maps, "face_of", lambda pips: Pips(int(pips[0, 0]), 50))
    assert read_by_maps(np.full((120, 160), 90, np.uint8))[0] == reason


def test_a_picture_and_its_mirror_image_show_the_same():
    """Tops, their feet and what lies there, each where the mirror has it."""
    picture = frame([(1.8, 0.3, 5), (-1.2, -0.6, 2)])
    sight, mirrored = look(picture), look(np.ascontiguousarray(picture[:, ::-1]))
    assert len(sight.tops) == 2
    for one, other in zip(
        sorted(sight.tops, key=lambda top: top.x),
        sorted(mirrored.tops, key=lambda top: -top.x),
        strict=True,
    ):
        assert (one.x, one.y) == pytest.approx((159 - other.x, other.y), abs=0.01)
        assert one.foot == pytest.approx((-other.foot[0], other.foot[1]), abs=0.001)
    assert sight.die == pytest.approx(mirrored.die[:, ::-1], abs=0.001)


def test_pips_lie_where_they_are_in_a_look_of_any_size():
    """In pixels of the top as it was found, not of the size it was shown in."""
    picture = frame([(0.0, 0.0, 4)])
    (top_found,) = look(picture).tops
    for sizes in ((0.87,), (1.15,)):
        (usual,) = look_closer(picture, [top_found], (0.4, 2.5))
        (die,) = look_closer(picture, [top_found], (0.4, 2.5), sizes)
        for pips in (usual.pips, die.pips):
            assert face_of(pips).value == 4
        apart = [np.ptp(np.argwhere(pips > 0.5), 0).max() for pips in (usual.pips, die.pips)]
        assert apart[1] == pytest.approx(apart[0], abs=2)


def test_cells_are_of_the_picture():
    """A picture whose sides are no multiples of eight has maps for all of it."""
    sight = look(frame([])[:117, :155])
    assert sight.die.shape == (120 // CELL, 160 // CELL)
