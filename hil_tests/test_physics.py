"""Rounds of independent physical models: no wrong number, and no number where every one is wrong.

`python -m hil_tests.physics` plays more of them.
"""

from collections.abc import Iterator

import pytest

from hil_tests.physics import (
    card_shoe,
    device,
    key_names,
    money_hands,
    money_wheel,
    shoe_rounds,
    spin_rounds,
)
from hil_tests.physics.kinds import RIGHT, VOID, Kind, kinds, wheel_kinds
from hil_tests.physics.making import alone
from hil_tests.thinned import IS_SOAK, share
from tableemulator.machines.roulette.physical_wheel import POCKET_SENSORS
from tablespec import names
from tablewire import draw_machine, roulette
from tablewire import money_wheel as words

# Of each kind.
ROUNDS = share(4, 3)
TURNS = share(3, 3)
PULLS = share(12, 3)
# Of each class of draws and of shuffles.
EACH = share(4, 3)
# A head alone cannot tell a ball laid in its pocket in the first turn from one that stayed.
BEYOND = {
    ("laid back", "head"),
    ("moved to another pocket", "head"),
    ("moved within a second", "head"),
}


def _cases() -> Iterator[tuple[str, str]]:
    """Each kind with the sensors it is for: one in turn; `make soak` plays it with all of them."""
    names = dict.fromkeys(name for sensor in POCKET_SENSORS for name in wheel_kinds(sensor))
    for turn, name in enumerate(names):
        cases = [
            (name, sensor)
            for sensor in POCKET_SENSORS
            if name in wheel_kinds(sensor) and (name, sensor) not in BEYOND
        ]
        yield from cases if IS_SOAK else [cases[turn % len(cases)]]


@pytest.mark.parametrize(("name", "sensor"), [*_cases()])
@pytest.mark.one_in(2)
def test_no_wrong_number(name: str, sensor: str) -> None:
    """Only the pocket in which the ball rests, and only of a spin that counts."""
    for number in range(ROUNDS):
        spin = spin_rounds.draw(wheel_kinds(sensor)[name], f"test/{name}/{number}", sensor)
        outcome = device.play(spin)
        assert outcome.ended, number
        assert outcome.index in (None, spin.number), (number, outcome, spin.number)
        if outcome.index is None and spin.number is not None:
            assert spin.may_void, (number, outcome)


@pytest.mark.parametrize("rims", [3, 4])
@pytest.mark.parametrize("name", ["healthy", "relaunched, short", "short", "6.95 circuits"])
def test_more_rim_sensors(name: str, rims: int) -> None:
    """The same by three and four of them."""
    for number in range(ROUNDS):
        spin = spin_rounds.draw(wheel_kinds("both")[name], f"rims/{name}/{number}", "both", rims)
        outcome = device.play(spin)
        assert outcome.ended
        assert outcome.index == spin.number


def test_four_rim_sensors_count_to_a_quarter() -> None:
    """Spins of 7.5 true circuits lose less than a quarter at either end: none is too short."""
    for number in range(share(12, 3)):
        spin = spin_rounds.draw(spin_rounds.BALL["7.50 circuits"], f"edge/{number}", "array", 4)
        outcome = device.play(spin)
        assert outcome.index == spin.number or outcome.reason == roulette.SLOW_LAUNCH


@pytest.mark.parametrize(
    ("sensor", "name", "number"),
    [
        # Put back 4.4 s after its last touch, while it might still have left the rim.
        ("array", "laid back", 116),
        # Another pocket closes in the fall; the ball bounces past the reads of the array.
        ("array", "switch sticks", 144),
        # A pitch 6 % short, of magnets beside their places, made the turn look over.
        ("head", "magnet stays", 13),
        # Caught and thrown again when the next pass was due at one rim and missing at the other.
        ("array", "relaunched, short", 352),
        # The same where the ball would have been, about as fast: no pass missing, none late.
        ("array", "relaunched in place, short", 66),
    ],
)
def test_rounds_that_were_wrong(sensor: str, name: str, number: int) -> None:
    """One in hundreds: each gave a number that was wrong, or void by the rules."""
    spin = spin_rounds.draw(wheel_kinds(sensor)[name], f"7/{name}/{number}", sensor)
    outcome = device.play(spin)
    assert outcome.ended
    assert outcome.index is None


def test_a_head_off_its_place_is_named() -> None:
    """Two fifths of a pocket: the bracket moved."""
    spin = spin_rounds.draw(spin_rounds.HEAD["head 0.40 off"], "test/off", "head")
    assert device.play(spin).reason == roulette.BRACKET_MOVED


HANDS = money_wheel.KINDS | money_hands.KINDS
VIEWS = [
    kind.name
    for kind in kinds()
    if kind.machine == "money_wheel, smooth, calibrated" and not kind.limit
]


def test_no_turn_with_a_hand_is_paid(subtests: pytest.Subtests) -> None:
    """At a calibrated wheel; and one left alone gives the segment in which it rests.

    One test, as each process would calibrate the wheel for itself.
    """
    for name in VIEWS:
        with subtests.test(name):
            for number in range(TURNS):
                turn = money_wheel.begin(f"test/{name}/{number}", pool=1)
                HANDS[name](turn)
                outcome, rest = money_wheel.play(turn)
                assert outcome.at_s > 0, number
                segment = rest if turn.number == -1 else turn.number
                assert outcome.segment == segment, (number, outcome)


@pytest.mark.parametrize("wheel", money_wheel.WHEELS)
def test_no_wheel_that_is_left_alone_is_void(wheel: str) -> None:
    """Unbalanced or rough, and not calibrated."""
    for number in range(TURNS):
        turn = money_wheel.begin(f"test/{wheel}/{number}", wheel)
        outcome, rest = money_wheel.play(turn)
        assert outcome.segment == rest, (number, outcome)


def test_a_wheel_that_rests_behind_a_pin_before_its_mark() -> None:
    """0.022 segments behind the pin, the mark comes at 0.026: the flapper says it was passed."""
    turn = money_wheel.begin("20261127/money_wheel/healthy/2846")
    outcome, rest = money_wheel.play(turn)
    assert rest == 51
    assert outcome.reason == words.BOUNDARY_STOP


@pytest.mark.parametrize("hand", card_shoe.HANDS)
def test_two_cards_are_never_dealt_as_one(hand: str) -> None:
    """Overlapping by 2 mm or more, in a shoe whose sheet sensor holds a peak for 50 ms."""
    for number in range(PULLS):
        overlap = 2.0 + number * (card_shoe.CARD_MM - 2.0) / PULLS
        pull = card_shoe.draw(hand, f"test/{hand}/two/{number}", overlap, holds_ms=50.0)
        outcome, _view = card_shoe.play(pull)
        assert outcome.code, (number, overlap)
        assert outcome.dealt == 0, (number, overlap)


# Slow at both gates and fast between, a card is as short to them as a torn one.
TOLD = [hand for hand in card_shoe.HANDS if hand != "lurching"]


@pytest.mark.parametrize("hand", TOLD)
def test_one_card_is_dealt(hand: str) -> None:
    """Evenly or not, held half way, in two strokes, from 0.1 to 3 m/s."""
    for number in range(PULLS):
        pull = card_shoe.draw(hand, f"test/{hand}/{number}", None, holds_ms=50.0)
        outcome, _view = card_shoe.play(pull)
        assert (outcome.dealt, outcome.code) == (1, 0), (number, outcome)


@pytest.mark.parametrize("kind", ["counted twice", "two, edge to edge"])
def test_a_round_that_the_reader_counted_wrong_does_not_end(kind: str) -> None:
    """A card more than passed, soon before the croupier ends the dealing: it is void."""
    for number in range(PULLS):
        outcome = shoe_rounds.play(shoe_rounds.draw(kind, f"test/{kind}/{number}"))
        assert outcome.code, (number, outcome)
        assert not outcome.ended


def test_a_healthy_round_ends_within_a_second() -> None:
    """With its cards, once the reader has confirmed its count."""
    for number in range(PULLS):
        drawn = shoe_rounds.draw("healthy", f"test/healthy/{number}")
        outcome = shoe_rounds.play(drawn)
        assert (outcome.ended, outcome.cards) == (True, drawn.cards), number
        assert outcome.wait_s <= 1.2


def _kinds_of(machine: str) -> list[Kind]:
    return [each for each in kinds() if each.machine == machine and not each.limit]


@pytest.mark.parametrize("kind", _kinds_of("draw_machine"), ids=lambda kind: kind.name)
def test_every_ball_is_told_or_the_draw_void(kind: Kind) -> None:
    """In order; and a round opens only with as many balls in the chamber as the machine has."""
    for number in range(EACH):
        judged = kind.play(f"test/{kind.name}/{number}", alone)
        assert judged.verdict in (RIGHT, VOID), (number, judged)


@pytest.mark.parametrize("number", [22, 61, 76, 174, 194])
def test_two_balls_of_which_one_tag_is_read(number: int) -> None:
    """Each was taken for one ball: as fast as one, or with a gap that only the outer beam saw."""
    [kind] = [each for each in _kinds_of("draw_machine") if each.name == "two touch, one tag"]
    judged = kind.play(f"41/draw_machine/{kind.name}/{number}", alone)
    assert (judged.verdict, judged.code) == (VOID, draw_machine.DOUBLE_EXIT)


@pytest.mark.parametrize("kind", _kinds_of("shuffler"), ids=lambda kind: kind.name)
def test_only_a_whole_deck_is_dealt_from(kind: Kind) -> None:
    """A round opens only with exactly its cards in the tray, also when all are shuffled again."""
    for number in range(EACH):
        judged = kind.play(f"test/{kind.name}/{number}", alone)
        assert judged.verdict in (RIGHT, VOID), (number, judged)


def test_names_of_keys_are_those_of_the_specification():
    """Read from its text, for an interpreter that does not run it."""
    assert key_names.KEY_NAMES == names.KEY_NAMES
