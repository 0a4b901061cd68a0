"""Photographs of real dice, where there are any: no face is wrong, and enough are accepted.

The folder lies beside the project and is no part of it. Values come from its labels; the figures
in full: `make dice DATA=../shared/data/dice`. `make test` reads some of them, `make soak` all.
"""

import pytest

from hil_tests.dice_accuracy import FEW, on_trays, photographs, plain, read
from hil_tests.test_house import ROOT
from hil_tests.thinned import thinned

FOLDER = ROOT.parent / "shared" / "data" / "dice"
REFUSED = ("low_contrast", "cocked", "cut", "edge_cut")  # flags of what cannot be read
# Percent of the clean pictures from above, by the table and by the host: decisions/dice.md.
FLOOR, HOST_FLOOR = 35, 64

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="no photographs beside the project")


@pytest.fixture(scope="module")
def overhead():
    """Verdicts on clean pictures from above with no more dice than a round has."""
    clean = [
        case
        for case in photographs(FOLDER)
        if case.group.startswith("byler_d6")
        and len(case.values) <= FEW
        and not any(flag in case.group for flag in REFUSED)
    ]
    assert len(clean) == 72
    return list(read(thinned(clean, 9)))


def test_no_face_is_wrong(overhead):
    """Of what is accepted."""
    assert not [verdict.case.name for verdict in overhead if verdict.wrong]


def test_enough_are_accepted(overhead):
    """Of both halves, the one that was learned from and the one that never was."""
    accepted = sum(verdict.accepted for verdict in overhead)
    assert accepted * 100 >= FLOOR * len(overhead), f"{accepted} of {len(overhead)}"


def test_the_host_accepts_more_and_none_wrong():
    """Plain pictures from above, in one look and a closer one."""
    cases = thinned(list(plain(FOLDER)), 2)
    verdicts = list(read(cases, by="host"))
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
    accepted = sum(verdict.accepted for verdict in verdicts)
    assert accepted * 100 >= HOST_FLOOR * len(cases), f"{accepted} of {len(cases)}"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("IMG_20191208_112419.png", "smaller"),
        ("IMG_20191209_095526.png", "none"),
    ],
)
def test_a_picture_read_wrong_once_is_not_again(name, change):
    """A one and a three, each read as a two by a network that was not sure."""
    cases = [case for case in photographs(FOLDER, change=change) if case.name == name]
    (verdict,) = read(cases, by="host")
    assert not verdict.wrong


def test_no_face_is_wrong_on_a_tray_with_a_reference():
    """The same dice between drawn walls and on grain, read by the host against the empty tray."""
    verdicts = list(read(thinned(list(on_trays(FOLDER)), 40), by="host"))
    assert verdicts
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
    assert any(verdict.accepted for verdict in verdicts)


def test_no_face_is_wrong_in_a_hand_held_picture():
    """Some of them: other dice, on wood, seen from aside, none of them learned from."""
    cases = [case for case in photographs(FOLDER) if "handheld" in case.group]
    verdicts = list(read(thinned(cases, 45)))
    assert verdicts
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
