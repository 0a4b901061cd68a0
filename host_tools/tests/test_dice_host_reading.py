"""The host's verdict: one look by the network, then four turns, on scenes rendered here."""

from types import SimpleNamespace

import numpy as np
import pytest

from hil_tests.emulators.dice_tray.rendering import Die, Scene, Style, render
from tablelogic.dice.reasons import READ, UNREADABLE
from tabletools.dice import Frame, four_turns, host_reading, network_reading, read_frame
from tabletools.dice.host_reading import read_picture
from tabletools.dice.pips import Pips
from tabletools.dice.reference import Reference, pixels


def scene(dice=((-1.5, 0.2, 5), (1.4, -0.3, 2)), arm=False):
    """A throw on dark cloth, the lens high above: 160 x 120."""
    made = Scene(scale=26.0, above=30.0, shadow=0.1, noise=1.0, arm=arm)
    made.dice = [Die(x, y, value, 0.4, Style()) for x, y, value in dice]
    return made


def frame(made, seed=4):
    return Frame(made.width, made.height, bytes(render(made, seed)))


def turned(found, turn):
    rows = np.ascontiguousarray(np.rot90(pixels(found), turn))
    return Frame(rows.shape[1], rows.shape[0], rows.tobytes())


def both_see(monkeypatch, pips):
    """Let the lattice see that on every die, for the network's look and for the four turns."""
    for module in (network_reading, four_turns):
        monkeypatch.setattr(module, "read_pips", lambda *_: pips)


def test_one_look_is_enough_for_plain_dice(monkeypatch):
    """The four turns are not asked."""
    monkeypatch.setattr(host_reading, "read_turned", lambda _: pytest.fail("asked"))
    found = read_picture(frame(scene()))
    assert (found.accepted, found.dice) == (True, [2, 5])


@pytest.mark.parametrize(("sure", "reason"), [([2], ""), ([], ""), ([3], "ambiguous"),
                                              ([2, 2], "ambiguous")])  # fmt: skip
def test_what_the_network_was_sure_of_is_in_the_result(monkeypatch, sure, reason):
    """In doubt the four turns are asked; they may not read another face than it did."""
    monkeypatch.setattr(host_reading, "read_by_network", lambda _: (UNREADABLE, sure))
    monkeypatch.setattr(host_reading, "read_turned", lambda _: (READ, [2, 5]))
    assert read_picture(frame(scene())).reason == reason


@pytest.mark.parametrize("turn", range(4))
def test_a_quarter_turn_changes_nothing(turn):
    """The verdict is made of all four."""
    found = read_picture(turned(frame(scene()), turn))
    assert (found.accepted, found.dice) == (True, [2, 5])


def test_the_count_of_the_table_is_compared():
    """Two dice are not three."""
    assert read_picture(frame(scene()), 3).reason == "count_wrong"
    assert read_picture(frame(scene()), 2).accepted


def test_a_second_reading_that_contradicts_refuses(monkeypatch):
    """The table accepts; the lattice reads every die as a six, clearly: no face is reported."""
    both_see(monkeypatch, Pips(6, 60.0))
    assert read_frame(frame(scene())).accepted
    assert read_picture(frame(scene())).reason == "ambiguous"


def test_a_faint_second_reading_does_not_refuse_pips_that_were_read(monkeypatch):
    """The tray's logic then has two independent readings: pips and classifier."""
    both_see(monkeypatch, Pips(6, 3.0))
    assert read_picture(frame(scene())).accepted


def test_a_face_of_the_classifier_alone_wants_the_lattice(monkeypatch):
    """No pips were read by the tray's logic, and the lattice sees none: one reading is too few."""
    found = frame(scene())
    both_see(monkeypatch, Pips(0, 0.0))
    assert read_picture(found).accepted
    monkeypatch.setattr(four_turns, "_Die", lambda *die: SimpleNamespace(
        x=die[0], y=die[1], side=die[2], value=die[3], by_pips=False))  # fmt: skip
    assert read_picture(found).reason == "ambiguous"


@pytest.mark.parametrize("arm", [False, True])
def test_with_a_reference_an_empty_tray_and_an_arm_are_seen(arm):
    """Nothing differs: no dice. An arm differs: no throw."""
    found = read_picture(frame(scene((), arm)), 0, Reference(pixels(frame(scene(()), 9))))
    assert found.reason == ("foreign_object" if arm else "no_dice")


def test_a_dark_picture_is_read_without_the_reference():
    """The light is off: that is the reason, not an empty tray."""
    dark = Frame(160, 120, bytes(160 * 120))
    found = read_picture(dark, 0, Reference(pixels(frame(scene(()), 9))))
    assert (found.reason, found.referred) == ("too_dark", False)
