"""Photographs of real dice, where there are any: no face is wrong, and enough are accepted.

The folder lies beside the project and is no part of it. Values come from its labels; the figures
in full: `make dice DATA=../shared/data/dice`. `make test` reads some of them, `make soak` all.
"""

import pytest

from hil_tests.dice_accuracy import WHOLE, in_whole_frames, on_trays, photographs, plain, read
from hil_tests.test_house import ROOT
from hil_tests.thinned import thinned

FOLDER = ROOT.parent / "shared" / "data" / "dice"
FLOOR = 60  # percent of the plain pictures from above: decisions/dice.md

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="no photographs beside the project")


def test_enough_are_accepted_and_none_wrong():
    """Plain pictures from above, in one look and a closer one."""
    cases = thinned(list(plain(FOLDER)), 6)
    verdicts = list(read(cases))
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
    accepted = sum(verdict.accepted for verdict in verdicts)
    assert accepted * 100 >= FLOOR * len(cases), f"{accepted} of {len(cases)}"


def test_whole_frames_of_a_known_tray_are_read_and_none_wrong():
    """Most of those with dice of 28 px, or of every other; of smaller some, and two once wrong."""
    cases = list(in_whole_frames(FOLDER))
    once_wrong = "IMG_20191209_095526.png", "IMG_20191208_112458.png"
    others = [case for case in cases if case.group != WHOLE]
    whole = [case for case in cases if case.group == WHOLE]
    verdicts = list(read(thinned(whole, 2)))
    accepted = sum(verdict.accepted for verdict in verdicts)
    assert accepted * 100 >= 85 * len(verdicts), f"{accepted} of {len(verdicts)}"
    verdicts += read([*thinned(others, 60), *(case for case in others if case.name in once_wrong)])
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]


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
    (verdict,) = read(cases)
    assert not verdict.wrong


def test_no_face_is_wrong_on_a_tray_with_a_reference():
    """The same dice between drawn walls and on grain, read by the host against the empty tray."""
    verdicts = list(read(thinned(list(on_trays(FOLDER)), 120)))
    assert verdicts
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
    assert any(verdict.accepted for verdict in verdicts)


def test_no_face_is_wrong_in_a_hand_held_picture():
    """Some of them: other dice, on wood, seen from aside, none of them learned from."""
    cases = [case for case in photographs(FOLDER) if "handheld" in case.group]
    verdicts = list(read(thinned(cases, 70)))
    assert verdicts
    assert not [verdict.case.name for verdict in verdicts if verdict.wrong]
