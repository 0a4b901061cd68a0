"""The pip reader on faces drawn here: every face, any turn, light on dark and dark on light."""

import cv2
import numpy as np
import pytest

from tabletools.dice.pips import PATCH, SIDE, read_patch, read_pips

# Rows of a face, a dot where there is no pip.
FACES = {
    1: ("...", ".o.", "..."),
    2: ("o..", "...", "..o"),
    3: ("o..", ".o.", "..o"),
    4: ("o.o", "...", "o.o"),
    5: ("o.o", ".o.", "o.o"),
    6: ("o.o", "o.o", "o.o"),
}


def drawn(rows, turn=0.0, *, body=210.0, pip=30.0, cloth=90.0, off=(0.0, 0.0), pitch=0.26):
    """A die's top, drawn eight times as large and reduced; turn in degrees, off in edges."""
    large, edge = PATCH * 8, SIDE * 8
    grey = np.full((large, large), cloth, np.float32)
    middle = np.array((large / 2, large / 2)) + np.array(off) * edge
    box = cv2.boxPoints((middle.tolist(), (edge, edge), turn)).astype(np.int32)
    cv2.fillPoly(grey, [box], body)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark == "o":
                a, b = np.array((x - 1, y - 1)) * pitch * edge
                point = middle + np.array((a * c - b * s, a * s + b * c))
                cv2.circle(grey, tuple(int(v) for v in point), int(0.09 * edge), pip, -1)
    return cv2.resize(grey, (PATCH, PATCH), interpolation=cv2.INTER_AREA).astype(np.uint8)


@pytest.mark.parametrize("value", FACES)
@pytest.mark.parametrize(("body", "pip"), [(210, 30), (40, 230), (120, 170)])
def test_every_face_is_read_in_any_turn(value, body, pip):
    """Light and dark dice, turned by steps that are no multiple of the lattice's."""
    for turn in range(0, 360, 31):
        face = read_patch(drawn(FACES[value], turn, body=body, pip=pip))
        assert face.value == value, turn
        assert face.share > 30


@pytest.mark.parametrize("value", FACES)
def test_a_die_need_not_be_quite_in_the_middle(value):
    """A tenth of an edge aside, pips nearer together or farther apart."""
    for off, pitch in (((0.1, -0.08), 0.26), ((-0.06, 0.1), 0.22), ((0.0, 0.0), 0.29)):
        assert read_patch(drawn(FACES[value], 31, off=off, pitch=pitch)).value == value


@pytest.mark.parametrize(
    "rows", [("...", "...", "..."), (".oo", "oo.", "o.o"), (".oo", "o.o", "oo.")]
)
def test_what_is_no_face_is_none(rows):
    """Blank, or pips in no valid pattern: no face, or no clear one."""
    face = read_patch(drawn(rows, 17))
    assert face.value == 0 or face.share < 12, face


@pytest.mark.parametrize("value", FACES)
@pytest.mark.parametrize("side", [16, 40])
def test_a_die_is_found_at_its_place_in_a_picture(value, side):
    """Half and more than the patch's scale, away from the middle of the picture."""
    size = round(PATCH * side / SIDE)
    picture = np.full((150, 200), 90, np.uint8)
    picture[30 : 30 + size, 110 : 110 + size] = cv2.resize(
        drawn(FACES[value], 20), (size, size), interpolation=cv2.INTER_AREA
    )
    assert read_pips(picture, (110 + size / 2, 30 + size / 2), side).value == value


def test_an_even_patch_shows_nothing():
    """No spot, no face."""
    assert read_patch(np.full((PATCH, PATCH), 128, np.uint8)).value == 0
