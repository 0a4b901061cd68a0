"""What each role demands of a table's configuration, and what speaks against a result."""

import pytest

from tablespec.names import KEY_NAMES
from tablespec.roles import PLAYED
from tabletools import roles
from tabletools.decode.core_messages import measure_text
from tabletools.games import GAMES
from tabletools.roles import Played
from tablewire import settings
from tablewire.messages import ROLES

FRENCH = Played("roulette", "hc2023", {}, "french")
AMERICAN00 = Played("roulette", "hc2011", {}, "american00")
WHEEL = Played("money_wheel", "hc2023")
SIC_BO = Played("sic_bo", "hc2023")
SIC_BO_2011 = Played("sic_bo", "hc2011")
KENO = Played("keno", "hc2023")
BINGO = Played("bingo", "hc2023", {}, "75")
PUNTO = Played("punto_banco", "hc2023")


def opened(role, layout, requirement):
    return {"type": "round_opened", "role": role, "layout": layout, "requirement": requirement}


# Pocket 17 is ninth from zero on a single-zero wheel: 0 32 15 19 4 21 2 25 17.
SPIN = {
    "type": "wheel_result",
    "role": "roulette",
    "pocket": "17",
    "pocket_index": 8,
    "circuits_centi": 700,
    "ball_direction": "clockwise",
    "rotor_direction": "counter_clockwise",
    "sensor": "array",
}
SINGLE = opened("roulette", "single", 7)
TURN = {
    "type": "money_wheel_result",
    "role": "money_wheel",
    "pays": 45,
    "segment": 13,
    "revolutions_centi": 400,
    "wheel_direction": "clockwise",
}
SEGMENTS = opened("money_wheel", "segments_52", 4)
THROW = {
    "type": "dice_result",
    "role": "dice_tray",
    "die_1": 1,
    "die_2": 5,
    "die_3": 5,
    "die_4": None,
    "die_5": None,
    "die_6": None,
    "held_ms": 5000,
    "spread_ms": 40,
    "hits": 3,
    "agreed": 2,
}
DICE = opened("dice_tray", "dice", 3)
CARDS = [
    {"type": "card_dealt", "shoe_index": 9 + n, "round_index": n, "card": card, "use": "round"}
    for n, card in enumerate(["2C", "3C", "AC", "2D"], 1)
]
# Numbers 1, 2, 13, 14: sums 1, 3, 16, 30 and 1, 4, 20, 50.
DEALT = {
    "type": "cards_ended",
    "role": "card_shoe",
    "count": 4,
    "first": 10,
    "last": 13,
    "check_1": 30,
    "check_2": 50,
}
SHOE = opened("card_shoe", "shoe", 8)
BALLS = [{"type": "ball_drawn", "place": n, "number": 81 - n} for n in range(1, 21)]
# The upper twenty of eighty: bits 60 to 79.
DRAW = {
    "type": "draw_result",
    "role": "draw_machine",
    "drawn": 20,
    "balls": 80,
    "numbers": "00000000000000f0ffff0000",
}
MACHINE = opened("draw_machine", "balls", 20)


def against(played, start, end, records=(), **changed):
    return roles.objections(played, start, {**end, **changed}, [*records])


@pytest.mark.parametrize(
    ("played", "start", "end", "records"),
    [
        (FRENCH, SINGLE, SPIN, ()),
        (FRENCH, SINGLE, {**SPIN, "pocket": "5", "pocket_index": 18}, ()),
        # The order read the other way: 17 is eight places before zero.
        (FRENCH, SINGLE, {**SPIN, "pocket_index": 29}, ()),
        (
            AMERICAN00,
            opened("roulette", "double", 7),
            {**SPIN, "pocket": "00", "pocket_index": 19},
            (),
        ),
        (WHEEL, SEGMENTS, TURN, ()),
        (SIC_BO, DICE, THROW, ()),
        (SIC_BO_2011, DICE, {**THROW, "held_ms": None, "hits": 0, "spread_ms": None}, ()),
        (PUNTO, SHOE, DEALT, CARDS),
        (
            PUNTO,
            opened("shuffler", "cards", 1),
            {"type": "card_round_ended", "role": "shuffler"},
            (),
        ),
        (KENO, MACHINE, DRAW, BALLS),
        # Without terms the record of its opening decides.
        (Played(None), opened("roulette", "single", 3), {**SPIN, "circuits_centi": 300}, ()),
        (Played(None), opened("dice_tray", "dice", 3), THROW, ()),
    ],
)
def test_a_valid_round_has_nothing_against_it(played, start, end, records):
    assert roles.objections(played, start, end, [*records]) == []


def test_a_pocket_read_by_a_head_alone_pays_nothing():
    """With the array it counts; at a table without terms, which has no stakes, in any case."""
    [text] = against(FRENCH, SINGLE, SPIN, sensor="head")
    assert "a reader head alone read the pocket" in text
    assert against(FRENCH, SINGLE, SPIN, sensor="both") == []
    assert against(Played(None), opened("roulette", "single", 3), SPIN, sensor="head") == []


@pytest.mark.parametrize("sensor", [1, 2, 3])
@pytest.mark.parametrize("played", [FRENCH, AMERICAN00])
def test_a_reader_head_alone_fits_no_terms(played, sensor):
    """An array fits, and both; the text names the key, the values that fit and the reason."""
    wheel = 2 if played is AMERICAN00 else 1
    values = {"role": 1, "wheel": wheel, "min_circuits": 7, "pocket_sensor": sensor}
    complaints = roles.misfits(played, [], values)
    text = (
        "pocket_sensor is 2, expected 1 or 3 (a reader head alone is for displays, not for money"
    )
    assert [each[: len(text)] for each in complaints] == ([text] if sensor == 2 else [])


@pytest.mark.parametrize(("limit", "fits"), [(0, False), (1, True), (460, True)])
def test_a_money_wheel_that_was_not_learned_fits_no_terms(limit, fits):
    """A hand that helps or brakes a little is not seen there; the text names the calibration."""
    values = {"role": 2, "min_revolutions": 4, "turn_limit": limit}
    complaints = roles.misfits(WHEEL, [], values)
    assert bool(complaints) != fits
    if not fits:
        assert (
            "turn_limit is 0, expected 1 to 20000 (a wheel that was not learned" in complaints[0]
        )
        assert "--calibrate wheel_law" in complaints[0]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"circuits_centi": 699}, "circuits of the ball: 6.99, at least 7"),
        ({"circuits_centi": 0}, "0.00"),
        ({"circuits_centi": None}, "unknown"),
        ({"ball_direction": None}, "direction of ball or rotor is unknown"),
        ({"rotor_direction": None}, "direction of ball or rotor is unknown"),
        ({"rotor_direction": "clockwise"}, "in the direction of the rotor"),
        ({"pocket": "00"}, "not at place 8"),
        ({"pocket": "21"}, "not at place 8"),
        ({"pocket_index": 37}, "not at place 37"),
    ],
)
def test_a_spin_without_a_valid_run(changed, word):
    """Seven circuits against the rotor (hc2023 2:1(2)), a pocket where the wheel has it."""
    [text] = against(FRENCH, SINGLE, SPIN, **changed)
    assert word in text


@pytest.mark.parametrize(
    ("start", "word"),
    [
        (opened("roulette", "double", 7), "layout double"),
        (opened("roulette", "single", 1), "requiring 1, hc2023 2:1(2) requires 7"),
        (opened("card_shoe", "shoe", 8), "a card_shoe sent its round_opened"),
        (opened("roulette", "cards", 7), "layout cards"),
    ],
)
def test_a_spin_of_a_round_that_opened_as_another(start, word):
    assert any(word in text for text in against(FRENCH, start, SPIN))


def test_a_controller_of_another_role():
    """Whatever its records say: no roulette is played with cards."""
    ended = {"type": "card_round_ended", "role": "shuffler"}
    [text] = roles.objections(FRENCH, opened("shuffler", "cards", 1), ended, [])
    assert text == "a shuffler reported it, and roulette is played on a roulette"
    [text] = against(FRENCH, SINGLE, SPIN, role="money_wheel")
    assert "a money_wheel sent its wheel_result" in text


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"revolutions_centi": 399}, "3.99 revolutions"),
        ({"wheel_direction": None}, "direction of the wheel"),
        ({"pays": 20}, "does not pay 20"),
        ({"segment": 53}, "segment 53"),
    ],
)
def test_a_turn_without_a_valid_run(changed, word):
    """Four revolutions (hc2023 2:5(4)); segment 13 of 52 pays 45."""
    [text] = against(WHEEL, SEGMENTS, TURN, **changed)
    assert word in text


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"held_ms": 5001}, "5001 ms"),
        ({"held_ms": None}, "unknown"),
        ({"spread_ms": 1001}, "1001 ms"),
        ({"hits": 0}, "far wall"),
        ({"agreed": 1}, "1 frames"),
        ({"die_3": None}, "2 dice were read"),
        ({"die_4": 6}, "4 dice were read"),
        ({"die_1": None, "die_4": 6}, "dice were read"),
    ],
)
def test_a_throw_against_its_conditions(changed, word):
    """hc2023 4:1(3): within five seconds, together, against the far wall; three dice lie there."""
    [text] = against(SIC_BO, DICE, THROW, **changed)
    assert word in text


def test_dice_of_another_game():
    """Two dice for Sic Bo, three for Barbut."""
    two = {**THROW, "die_3": None}
    assert len(roles.objections(SIC_BO, opened("dice_tray", "dice", 2), two, [])) == 2
    assert len(roles.objections(Played("barbut", "hc2023"), DICE, THROW, [])) == 2


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"check_1": 31}, "do not match the summary"),
        ({"count": 5, "last": 14}, "4 cards of 5"),
        ({"first": 11}, "out of place"),
    ],
)
def test_cards_that_are_not_all_there(changed, word):
    [text] = against(PUNTO, SHOE, DEALT, CARDS, **changed)
    assert word in text


def test_more_of_a_card_than_the_decks_hold():
    """Two aces of clubs from one deck."""
    cards = [{**record, "card": "2C"} for record in CARDS[:2]]
    ended = {**DEALT, "count": 2, "last": 11, "check_1": 2, "check_2": 3}
    one = opened("card_shoe", "shoe", 1)
    [text] = roles.objections(PUNTO, one, ended, cards)
    assert "2 times 2C" in text
    table = PUNTO._replace(options={"decks": 8})
    assert any("1 decks" in text for text in roles.objections(table, one, DEALT, CARDS))


def test_a_card_burned_and_dealt_again():
    """The first card of the round was burned before it, from one deck; another shoe is another."""
    one = opened("card_shoe", "shoe", 1)
    burned = {**CARDS[0], "use": "burned", "round_index": None, "shoe_index": 9}
    [text] = roles.objections(PUNTO, one, DEALT, [burned, *CARDS])
    assert f"2 times {CARDS[0]['card']} in one round, of 1 decks" in text
    assert roles.objections(PUNTO, one, DEALT, [*CARDS, DEALT, burned]) == []


@pytest.mark.parametrize(
    ("played", "changed", "word"),
    [
        (KENO, {"drawn": 19}, "are not 19"),
        (KENO, {"balls": 79}, "79"),
        (KENO, {"balls": 90}, "80 belong there"),
        (BINGO, {}, "75 belong there"),
        (KENO, {"numbers": "0f0000000000000000ffff00"}, "differ from the result"),
    ],
)
def test_a_draw_of_other_balls(played, changed, word):
    """Keno: twenty of eighty (hc2023 5:2). Bingo: the balls of its variant."""
    assert any(word in text for text in against(played, MACHINE, DRAW, BALLS, **changed))


def test_a_ball_that_was_never_reported():
    [text] = against(KENO, MACHINE, DRAW, BALLS[1:])
    assert "ball 1" in text


# --- configuration -------------------------------------------------------------------------------


def test_what_terms_demand_of_a_configuration():
    """By hand from the articles."""
    assert [tuple(demand)[:3] for demand in roles.demands("roulette", FRENCH)] == [
        ("wheel", 1, 1),
        ("min_circuits", 7, 20),
        ("pocket_sensor", 1, 3),
    ]
    assert roles.demands("roulette", AMERICAN00)[0][:3] == ("wheel", 2, 2)
    assert [tuple(demand)[:3] for demand in roles.demands("money_wheel", WHEEL)] == [
        ("min_revolutions", 4, 10),
        ("turn_limit", 1, 20_000),
    ]
    assert [tuple(demand)[:3] for demand in roles.demands("dice_tray", SIC_BO)] == [
        ("dice", 3, 3),
        ("throw_rules", 1, 1),
        ("throw_ms", 1000, 5000),
    ]
    assert [tuple(d)[:3] for d in roles.demands("dice_tray", SIC_BO_2011)] == [("dice", 3, 3)]
    for policy, reads in (("host", 2), ("both", 1), ("device", 1)):
        demands = roles.demands("dice_tray", SIC_BO_2011._replace(dice_reading=policy))
        assert [tuple(d)[:3] for d in demands][1:] == [("dice_reading", reads, reads)] + (
            [("frame_size", 1, 1), ("result_hold_ms", 20_000, 60_000)] if policy == "host" else []
        )
        own = SIC_BO_2011._replace(dice_reading=policy, has_host_camera=True)
        demands = roles.demands("dice_tray", own)  # the table's pictures are evidence alone
        assert [tuple(d)[:3] for d in demands][1:] == [("dice_reading", reads, reads)]
    assert [tuple(d)[:3] for d in roles.demands("draw_machine", BINGO)] == [
        ("balls", 75, 75),
        ("draw_count", 0, 0),
    ]
    decks = roles.demands("card_shoe", PUNTO._replace(options={"decks": 6}))
    assert [tuple(demand)[:3] for demand in decks] == [("decks", 6, 6)]
    assert roles.demands("card_shoe", PUNTO) == []
    live = roles.demands("card_shoe", Played("baccarat", "de-live"))
    assert [tuple(demand)[:4] for demand in live] == [("decks", 8, 8, "de-live Bac 1.3.1")]


def test_every_demand_can_be_met():
    """Its key exists, and its values are within the limits of the key."""
    by_host = SIC_BO._replace(dice_reading="host")
    for played in (FRENCH, AMERICAN00, WHEEL, SIC_BO, by_host, SIC_BO_2011, KENO, BINGO, PUNTO):
        for name in roles.names_for(played.game):
            for demand in roles.demands(name, played):
                low, high, _ = settings.limits(KEY_NAMES.index(demand.key) + 1)
                assert low <= demand.low <= demand.high <= high
                assert demand.source


def test_every_game_has_a_role():
    """And every role a game."""
    hosted = set(GAMES)
    assert {game for game in hosted if roles.names_for(game)} == hosted
    assert all(roles.role(name).games <= hosted for name in ROLES)
    with pytest.raises(KeyError):
        roles.role("juke_box")


def test_every_result_has_an_outcome_and_words():
    """What a role ends a round with is settled from, and described."""
    for name in ROLES:
        each = roles.role(name)
        assert (each.outcome is None) != (each.dealt is None), name
        assert each.result in each.messages, name


def test_a_role_speaks_of_its_own_faults():
    """What its faults measure, and those by which it waits for a declaration, are its own."""
    for words, role in zip(PLAYED, roles.every_role(), strict=True):
        own = {reason.name: reason.number for reason in words.reasons}
        assert role.measures.keys() <= own.keys(), words.name
        assert set(role.awaiting) <= set(own.values()), words.name
    # not_verified of a shuffler, not_counted of a draw machine, shoe_unknown of a shoe.
    assert roles.awaiting() == {816, 919, 949}


@pytest.mark.parametrize(
    ("fault", "value", "limit", "text"),
    [
        ("shoe_short", 415, 416, ", measured 415 cards, limit 416 cards"),
        ("count_short", 0, 1, ", measured 0 cards, limit 1 cards"),
        ("double_feed", 52_000, 0, ", measured 52000 us"),
        ("camera_moved", 120, 7, ", grey level 120 of 255, moved by 7 px"),
        ("sensor_stuck", 1, 0, ""),  # a contact: closed
        ("memory_short", 0, 512, ", 512 bytes missing"),
        ("lid_open", 300, 200, ""),  # measures nothing
    ],
)
def test_what_a_fault_measured(fault, value, limit, text):
    """With its unit, and nothing where the two numbers are flags or the fault measures nothing."""
    assert measure_text(fault, value, limit) == text
