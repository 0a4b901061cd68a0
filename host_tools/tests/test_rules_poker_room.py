"""Poker room of Oostende: raises, pots, the odd chip, rake, misdeals, button, chip race, time."""

import json
import random

import pytest

from tabletools.settle import json_lines

BOARD = "2C 7S TD JC 4H"


def answer(outcome, bets=(), table=None, variant="holdem"):
    record = {
        "rules": "oostende2011",
        "game": "poker_room",
        "variant": variant,
        "bets": [
            {"id": player, "player": player, "bet": "hand", "stake": stake, "choice": choice}
            for player, stake, choice in (bet if len(bet) == 3 else (*bet, None) for bet in bets)
        ],
        "outcome": outcome,
        "table": table,
    }
    return json_lines.answer(json.dumps(record).encode(), line=1)[0]


def nets(*args, **more):
    """What each player ends with above what he put in."""
    reply = answer(*args, **more)
    results = reply["settlements"]
    for line in results:
        assert line["stake"] == line["back"] + line["live"] + line["lost"]
    net = [line["win"] - line["lost"] for line in results]
    assert sum(net) + reply.get("rake", 0) == 0
    return net


def code(*args, **more):
    return answer(*args, **more)["error"]["code"]


ACES, KINGS, NINES = "AH AD", "KH KD", "9H 9D"


def reveal(**hands):
    return {"board": BOARD, "hands": hands}


def test_the_best_hand_takes_the_pot():
    """Two players, nothing uncalled."""
    assert nets(reveal(A=ACES, B=KINGS), [("A", 5000), ("B", 5000)]) == [5000, -5000]


def test_side_pots():
    """The short stack wins the main pot, the next best the side pot; the uncalled part returns."""
    outcome = reveal(A=ACES, B=KINGS, C=NINES)
    reply = answer(outcome, [("A", 5000), ("B", 20000), ("C", 30000)])
    assert reply["pots"] == [
        {"amount": 15000, "rake": 0, "winners": ["A"]},
        {"amount": 30000, "rake": 0, "winners": ["B"]},
    ]
    assert nets(outcome, [("A", 5000), ("B", 20000), ("C", 30000)]) == [10000, 10000, -20000]
    folded = [("A", 5000), ("B", 20000), ("C", 20000), ("D", 700, "fold")]
    assert nets(reveal(A=ACES, B=KINGS, C=NINES), folded) == [10700, 10000, -20000, -700]


def test_2_4_the_odd_chip_goes_to_the_left_of_the_button():
    """Chips that do not divide, one each from the left of the button on."""
    outcome = {"board": "AS KS QS JS TS", "hands": {"A": "2C 3C", "B": "4C 5C", "C": "6C 7C"}}
    bets = [("A", 2500), ("B", 2500), ("C", 2500), ("D", 100, "fold")]
    table = {"chip": 100}
    assert nets(outcome, bets, {**table, "button": "A"}) == [0, 100, 0, -100]
    assert nets(outcome, bets, {**table, "button": "B"}) == [0, 0, 100, -100]
    assert nets(outcome, bets, {**table, "button": "C"}) == [100, 0, 0, -100]
    assert nets(outcome, bets, {"chip": 25, "button": "D"}) == [50, 25, 25, -100]
    assert nets(outcome, bets, {"button": "D"}) == [34, 33, 33, -100]


def test_what_the_rake_leaves_below_a_chip():
    """107.00 less 5 % is 101.65: 406 chips of 25 cents and 15 cents, which no chip pays.

    203 chips for each of two winners. The 15 cents cannot be divided; like an odd chip (2.4)
    they go to the first from the left of the button, together with an odd chip.
    """
    outcome = {"board": "AS KS QS JS TS", "hands": {"A": "2C 3C", "B": "4C 5C"}}
    bets = [("A", 5000), ("B", 5000), ("D", 700, "fold")]
    table = {"chip": 25, "rake": [1, 20]}
    assert nets(outcome, bets, {**table, "button": "D"}) == [90, 75, -700]
    assert nets(outcome, bets, {**table, "button": "A"}) == [75, 90, -700]
    # 103.00 less 5.15: 391 chips and 10 cents. 49.10 with the odd chip, and 48.75.
    bets[2] = ("D", 300, "fold")
    assert nets(outcome, bets, {**table, "button": "D"}) == [-90, -125, -300]


def test_3_10_rake():
    """On what is pushed to the winner, own call included; not on uncalled cents, not preflop."""
    rake = {"rake": [1, 20]}
    reply = answer(reveal(A=ACES, B=KINGS), [("A", 5000), ("B", 9000)], rake)
    assert (reply["rake"], reply["pots"][0]["amount"]) == (500, 10000)
    assert nets(reveal(A=ACES, B=KINGS), [("A", 5000), ("B", 9000)], rake) == [4500, -5000]
    bets = [("A", 300), ("B", 100, "fold")]
    assert answer({}, bets, rake)["rake"] == 0
    assert nets({}, bets, rake) == [100, -100]
    assert answer({"board": "2C 7S TD"}, bets, rake)["rake"] == 10
    assert code(reveal(A=ACES, B=KINGS), [("A", 5), ("B", 5)], rake) == "not_whole_cents"
    for wrong in ([1, 1], [2, 1], [-1, 20], [0, 0]):
        error = answer(reveal(A=ACES, B=KINGS), bets, {"rake": wrong})["error"]
        assert (error["code"], error["where"]) == ("limits_invalid", "line 1: table.rake")


def test_4_3_omaha_uses_exactly_two_own_cards():
    """Four spades on the board need two in the hand; a set beats one spade."""
    outcome = {
        "board": "2S 7S TS JS 4H",
        "hands": {"A": "AS KD QD 3C", "B": "4C 4D 9H 8H", "C": "3S 5S 6C 6D"},
    }
    bets = [("A", 1000), ("B", 1000), ("C", 1000)]
    assert nets(outcome, bets, variant="omaha") == [-1000, -1000, 2000]
    two = {**outcome, "hands": {"A": "AS KD 3C 3D", "B": "4C 4D 9H 9C"}}
    assert nets(two, bets[:2], variant="omaha") == [-1000, 1000]


@pytest.mark.parametrize(
    ("outcome", "bets", "wanted"),
    [
        (reveal(A=ACES), [("A", 5), ("B", 5)], "missing_field"),
        (reveal(A=ACES, B="AH KD"), [("A", 5), ("B", 5)], "cards_invalid"),
        (reveal(A=ACES, B="KD"), [("A", 5), ("B", 5)], "deal_not_by_rule"),
        ({"board": "2C 7S"}, [("A", 5), ("B", 5, "fold")], "deal_not_by_rule"),
        ({"board": "2C 7S TD", "hands": {}}, [("A", 5), ("B", 5)], "deal_incomplete"),
        (reveal(A=ACES, B=KINGS), [("A", 5)], "bet_not_in_round"),
        (reveal(A=ACES, B=KINGS), [("A", 5, "fold"), ("B", 5, "fold")], "bet_not_in_round"),
        (reveal(A=ACES, B=KINGS), [("A", 5), ("B", 5, "call")], "unknown_choice"),
    ],
    ids=str,
)
def test_what_is_no_hand(outcome, bets, wanted):
    """Cards and players that cannot be."""
    assert code(outcome, bets) == wanted


def parse(text):
    actions = []
    for each in text.split(", "):
        player, word, *numbers = each.split()
        fields = dict(zip(("amount", "chips"), map(int, numbers), strict=False))
        actions.append({"player": player, "action": word, **fields})
    return actions


PRE = "A small_blind 20, B big_blind 20, C call, A check, B check"
LIMPED = "A small_blind 25, B big_blind 50, C call, A call, B check"
STACKS = {"A": 10_000, "B": 10_000, "C": 10_000}


def answer_to_actions(text, stacks=None, street="flop"):
    """Return the answer to actions 'A bet 50, B call, ...' on one street, wrong stakes beside.

    stacks: before that street; each has put in 50 before the flop.
    """
    stacks, actions = stacks or STACKS, {street: parse(text)}
    if street != "preflop":
        actions["preflop"] = parse(LIMPED)
        stacks = {player: cents + 50 for player, cents in stacks.items()}
    bets = [(player, 1) for player in stacks]
    table = {"stacks": stacks, "big_blind": 50}
    return answer({"board": BOARD, "actions": actions}, bets, table)["error"]


ILLEGAL = [
    ("A bet 40", "below the minimum, 50"),
    ("A bet 100, B raise 199", "below the minimum, 200"),
    ("A bet 100, B raise 300, C raise 599", "below the minimum, 600"),
    ("A bet 100, B raise 10001", "above the maximum, 10000"),
    ("A bet 100, B check", "100 is to match"),
    ("A check, B call", "a call adds 0"),
    ("A bet 100, B bet 200", "a bet opens"),
    ("A raise 100", "a bet opens"),
    ("A bet 100, B fold, B call", "not in the hand"),
    ("A bet 100, B call", "100 is to match"),
]


@pytest.mark.parametrize(("text", "what"), ILLEGAL)
def test_2_10_illegal_actions(text, what):
    """Least and most of a bet and a raise, and who is to act (READING-37)."""
    error = answer_to_actions(text)
    assert error["code"] == "action_not_legal"
    assert what in error["message"]


SHORT = {"A": 10_000, "B": 10_000, "C": 90}


def test_2_10_a_short_all_in_does_not_reopen():
    """A 50, B 50, C all-in 90: A may only call; all-in 100 is twice his bet and reopens."""
    error = answer_to_actions("A bet 50, B call, C raise 90, A raise 400", SHORT)
    assert "only a call is possible" in error["message"]
    called = answer_to_actions("A bet 50, B call, C raise 90, A call, B call", SHORT)
    assert "player 'A': the street is not over" in called["message"], "on the turn"
    stacks = {**SHORT, "C": 100}
    reopened = answer_to_actions("A bet 50, B call, C raise 100, A raise 400, B fold", stacks)
    assert reopened["code"] == "bet_not_in_round"


def test_2_10_the_big_blind_keeps_his_right():
    """He has put in but not spoken: a short all-in of 90 lets him raise."""
    stacks = {"A": 10_000, "B": 10_000, "C": 90}
    text = "A small_blind 25, B big_blind 50, C raise 90, A call, B raise 300, A fold"
    assert answer_to_actions(text, stacks, "preflop")["code"] == "bet_not_in_round"


PUSHES = [
    ("A bet 100, B chips 500 1, C fold", 100),
    ("A bet 100, B chips 149 3, C fold", 100),
    ("A bet 100, B chips 150 3, A fold, C fold", 200),
    ("A bet 100, B chips 300 3, A fold, C fold", 300),
]


@pytest.mark.parametrize(("text", "put_in"), PUSHES)
def test_2_10_chips_without_a_word(text, put_in):
    """One bigger chip is a call; half or more of the bet completes to a raise, less is a call."""
    is_over = "A fold" in text
    actions = {"preflop": parse(LIMPED), "flop": parse(text)}
    outcome = {"board": "2C 7S TD"} if is_over else reveal(A=ACES, B=KINGS)
    if not is_over:
        actions |= dict.fromkeys(("turn", "river"), parse("A check, B check"))
    outcome["actions"] = actions
    table = {"stacks": STACKS, "big_blind": 50}
    others = [("A", 150, "fold" if is_over else None), ("C", 50, "fold")]
    wanted = [-150, -50, 200] if is_over else [200, -50, -150]
    assert nets(outcome, [*others, ("B", put_in + 50)], table) == wanted
    assert code(outcome, [*others, ("B", put_in + 51)], table) == "bet_not_in_round"


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("A bet 61", 60),
        ("A bet 50, B raise 211", 210),
        ("A bet 50, B call, C raise 261", 260),
        ("A bet 50, B raise 210, C raise 741", 740),
    ],
)
def test_4_4_pot_limit(text, most):
    """Bet: the pot. Raise: three times the last bet and the pot before it (READING-36)."""
    table = {"stacks": STACKS, "big_blind": 50}
    outcome = {
        "board": BOARD,
        "actions": {"preflop": parse(PRE), "flop": parse(text)},
    }
    reply = answer(outcome, [(p, 1) for p in STACKS], table, "omaha")
    assert reply["error"]["code"] == "action_not_legal"
    assert f"above the maximum, {most}" in reply["error"]["message"]


def test_a_hand_with_all_its_actions():
    """Blinds, a straddle, a raise, a fold, an all-in and a showdown come to the stakes."""
    text = "C dead_small_blind 25, C post 50, A raise 100, B raise 300, A fold"
    actions = {"preflop": parse(f"{text}, C raise 500, B call")}
    stacks = {"A": 10_000, "B": 10_000, "C": 525}
    outcome = {**reveal(B=KINGS, C=ACES), "actions": actions}
    table = {"stacks": stacks, "big_blind": 50}
    assert nets(outcome, [("A", 100, "fold"), ("B", 500), ("C", 525)], table) == [-100, -500, 600]


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [
        ({"flashed": 1}, (False, True, False)),
        ({"boxed": 1}, (False, False, True)),
        ({"flashed": 1, "boxed": 1}, (False, True, True)),
        ({"flashed": 2}, (True, False, False)),
        ({"boxed": 2}, (True, False, False)),
        ({"flashed": 1, "decisive": True}, (True, False, False)),
    ],
)
def test_2_20_cards_seen_in_the_deal(outcome, wanted):
    """One flashed card is burned, one boxed card replaced; more, or the first one, a misdeal."""
    exposed = answer(outcome, variant="exposed")["exposed"]
    assert tuple(exposed.values()) == wanted
    assert answer({**outcome, "acted": 1}, variant="exposed")["exposed"] == exposed
    if exposed["misdeal"]:
        assert answer({**outcome, "acted": 2}, variant="exposed")["error"]["code"] == (
            "deal_not_by_rule"
        )


def test_the_floor_decides_about_no_bet():
    """Bets beside its question are a mistake."""
    assert code({"flashed": 1}, [("A", 100)], variant="exposed") == "bet_not_in_round"


def test_2_20_nothing_seen_is_nothing_to_rule():
    """A record names a card at least."""
    for outcome in ({}, {"flashed": 0}, {"flashed": -1}, {"boxed": 1, "decisive": True}):
        assert answer(outcome, variant="exposed")["error"]["code"] == "deal_incomplete"


@pytest.mark.parametrize(("acted_ms", "folds"), [(160_000, False), (160_001, True)])
def test_2_5_one_minute(acted_ms, folds):
    """At exactly one minute the action counts, later the hand is folded."""
    call = {"player": "B", "action": "call", "called_ms": 100_000, "acted_ms": acted_ms}
    before = [*parse("A small_blind 25, B big_blind 50, A raise 100"), call]
    table = {"stacks": {"A": 500, "B": 500}, "big_blind": 50}
    if folds:
        outcome = {"actions": {"preflop": before}}
        assert "he folded" in answer(outcome, [("A", 100), ("B", 100)], table)["error"]["message"]
        assert nets(outcome, [("A", 100), ("B", 50, "fold")], table) == [50, -50]
    else:
        actions = dict.fromkeys(("flop", "turn", "river"), parse("B check, A check"))
        outcome = {**reveal(A=ACES, B=KINGS), "actions": {"preflop": before, **actions}}
        assert nets(outcome, [("A", 100), ("B", 100)], table) == [100, -100]


def test_3_10_what_nobody_called_comes_back_whoever_folds():
    """B is all-in for 100, A has bet 1,000 and folds: 900 are in no pot and bear no rake."""
    outcome = {"board": "2C 7S TD", "hands": {}}
    bets = [("A", 1000, "fold"), ("B", 100)]
    reply = answer(outcome, bets, {"rake": [1, 20]})
    assert reply["pots"] == [{"amount": 200, "rake": 10, "winners": ["B"]}]
    assert [(line["win"], line["back"]) for line in reply["settlements"]] == [(0, 900), (90, 100)]


BOARD_OF_ONE = {"board": "2C 7S TD JC 4H"}


def test_a_side_pot_whose_players_all_passed_is_not_for_who_is_not_in_it():
    """A is all-in for 1.00, C and D have 9.00 in. C folds on the river, D mucks to A's hand.

    The main pot, 3.00 less 0.15, is A's: 1.85 more than he put in. The side pot of 16.00 less
    0.80 is D's, who had it alone when C folded (2.23): he gets 15.20 for 9.00.
    """
    bets = [("A", 100), ("C", 900, "fold"), ("D", 900)]
    outcome = {**BOARD_OF_ONE, "hands": {"A": ACES}, "mucked": ["D"]}
    reply = answer(outcome, bets, {"rake": [1, 20]})
    assert reply["pots"] == [
        {"amount": 300, "rake": 15, "winners": ["A"]},
        {"amount": 1600, "rake": 80, "winners": ["D"]},
    ]
    settled = [(line["win"], line["back"], line["lost"]) for line in reply["settlements"]]
    assert settled == [(185, 100, 0), (0, 0, 900), (620, 900, 0)]


def test_who_mucks_last_has_the_pot_alone():
    """C and D both muck; without knowing who passed last nobody can be paid the side pot."""
    bets = [("A", 100), ("C", 900), ("D", 900)]
    outcome = {**BOARD_OF_ONE, "hands": {"A": ACES}}
    assert nets({**outcome, "mucked": ["C", "D"]}, bets) == [200, -900, 700]
    assert nets({**outcome, "mucked": ["D", "C"]}, bets) == [200, 700, -900]
    folded = [("A", 100), ("C", 900, "fold"), ("D", 900, "fold")]
    refused = answer(outcome, folded)["error"]
    assert (refused["code"], refused["where"]) == ("deal_incomplete", "line 1: outcome.mucked")
    assert "who passed last had it alone" in refused["message"]
    kings = {**outcome, "mucked": ["A", "D"], "hands": {"C": KINGS}}
    assert nets(kings, bets) == [-100, 1000, -900]


def test_the_actions_say_who_passed_last():
    """A is all-in for 50. On the flop C bets 100, B calls; on the turn C checks and folds last."""
    stacks = {"A": 50, "B": 1000, "C": 1000}
    actions = {
        "preflop": parse("A small_blind 25, B big_blind 50, C call, A call, B check"),
        "flop": parse("B check, C bet 100, B call"),
        "turn": parse("B fold, C fold"),
    }
    outcome = {"board": "2C 7S TD JC", "actions": actions}
    bets = [("A", 50), ("B", 150, "fold"), ("C", 150, "fold")]
    table = {"stacks": stacks, "big_blind": 50}
    assert nets(outcome, bets, table) == [100, -150, 50]
    last = {**actions, "turn": parse("C fold, B fold")}
    assert nets({**outcome, "actions": last}, bets, table) == [100, 50, -150]


def test_mucked_is_who_had_not_folded_and_shows_nothing():
    """Also once only, and who is in the hand."""
    bets = [("A", 900), ("C", 900, "fold"), ("D", 900)]
    for mucked, hands in ((["C"], {}), (["E"], {}), (["D", "D"], {}), (["D"], {"D": KINGS})):
        outcome = {**BOARD_OF_ONE, "hands": {"A": ACES, **hands}, "mucked": mucked}
        assert code(outcome, bets) == "bet_not_in_round"


def test_folded_money_above_a_live_hand_is_matched_layer_by_layer():
    """A has 1.00 in, E 4.00, D 6.00, C 9.00 and folds; E and D muck, E last.

    Layers: 4 x 1.00 for A; 3 x 3.00 of C, D, E for E; 2 x 2.00 of C and D for D; C's 3.00 back.
    """
    bets = [("A", 100), ("C", 900, "fold"), ("D", 600), ("E", 400)]
    outcome = {**BOARD_OF_ONE, "hands": {"A": ACES}, "mucked": ["D", "E"]}
    reply = answer(outcome, bets)
    pots_won = [(pot["amount"], pot["winners"]) for pot in reply["pots"]]
    assert pots_won == [(400, ["A"]), (900, ["E"]), (400, ["D"])]
    assert nets(outcome, bets) == [300, -600, -200, 500]


CHECKS = "A check, B check, C check"
INCOMPLETE = [
    ({"flop": "A bet 50, B call, C call"}, BOARD, "actions.preflop", "has not acted"),
    ({"preflop": LIMPED, "turn": CHECKS}, BOARD, "actions.flop", "has not acted"),
    ({"preflop": LIMPED, "flop": CHECKS, "turn": CHECKS}, BOARD, "actions.river", "has not acted"),
    (
        {"preflop": "A small_blind 25, B big_blind 50, C call, A call"},
        BOARD,
        "actions.preflop",
        "'B': the street is not over",
    ),
    (
        {"preflop": "A small_blind 25, B big_blind 50, C fold, A fold", "flop": "B bet 50"},
        None,
        "actions.flop",
        "over on the preflop",
    ),
    (
        {"preflop": "A small_blind 25, B big_blind 50, C fold, A fold"},
        "2C 7S TD",
        "board",
        "ended on the preflop with 0 cards",
    ),
    (
        {"preflop": LIMPED, "flop": "A bet 50, B fold, C fold"},
        BOARD,
        "board",
        "ended on the flop with 3 cards",
    ),
]


@pytest.mark.parametrize(("streets", "board", "where", "what"), INCOMPLETE)
def test_streets_are_complete(streets, board, where, what):
    """Every player who can has acted on each street, none later, and the board is that far."""
    actions = {street: parse(text) for street, text in streets.items()}
    table = {"stacks": STACKS, "big_blind": 50}
    outcome = {"board": board, "actions": actions}
    error = answer(outcome, [(player, 50) for player in STACKS], table)["error"]
    assert error["where"] == f"line 1: outcome.{where}"
    assert what in error["message"]


@pytest.mark.parametrize(
    ("outcome", "where"),
    [
        (reveal(A=ACES, B=KINGS, Z=NINES), "hands"),
        (reveal(A=ACES, B=KINGS, C="AH 2D"), "hands.C"),
        (reveal(A=ACES, B=KINGS, C="9H"), "hands.C"),
    ],
)
def test_every_hand_shown_is_of_a_player_and_of_the_one_deck(outcome, where):
    """Also that of a player who folded, and of no player."""
    bets = [("A", 5), ("B", 5), ("C", 5, "fold")]
    error = answer(outcome, bets)["error"]
    assert error["where"] == f"line 1: outcome.{where}"


@pytest.mark.parametrize("cause", ["first_card_flashed", "wrong_deck", "button_misplaced"])
def test_2_19_misdeal(cause):
    """The hand is annulled and bets are returned, until two players have acted."""
    bets = [("A", 50), ("B", 100)]
    reply = answer({"misdeal": cause, "acted": 1}, bets)
    assert [line["outcome"] for line in reply["settlements"]] == ["void", "void"]
    assert code({"misdeal": cause, "acted": 2}, bets) == "deal_not_by_rule"
    assert code({"misdeal": "own_card_shown", "acted": 0}, bets) == "deal_not_by_rule"


def move(button, small, big, *seats):
    last = {"button": button, "small_blind": small, "big_blind": big, "seats": list(seats)}
    positions = answer(last, variant="button")["positions"]
    return positions["button"], positions["small_blind"], positions["big_blind"]


def test_2_8_dead_button():
    """The big blind moves on; seats of those who left stay as button or small blind."""
    assert move(1, 2, 3, 1, 2, 3, 4, 5) == (2, 3, 4)
    assert move(1, 2, 3, 1, 2, 4, 5) == (2, 3, 4)
    assert move(1, 2, 3, 1, 3, 4, 5) == (2, 3, 4)
    assert move(4, 5, 1, 1, 2, 4) == (5, 1, 2)
    assert move(3, 4, 5, 2, 4, 5) == (4, 5, 2)


def test_2_8_heads_up():
    """The small blind has the button, and no one has the big blind twice."""
    assert move(1, 2, 3, 1, 3) == (3, 3, 1)
    assert move(1, 2, 3, 2, 3) == (3, 3, 2)
    assert move(1, 2, 3, 1, 2) == (2, 2, 1)
    assert move(3, 3, 1, 1, 3) == (1, 1, 3)


def race(odd, cards, big=50, whole=()):
    outcome = {"odd": odd, "cards": cards, "whole": list(whole)}
    return answer(outcome, table={"chip": big}, variant="chip_race").get("chips")


def test_2_2_chip_race():
    """Four chips of 25 are two of 50, for the highest cards; rounded up; no one is out by it."""
    odd, cards = dict.fromkeys("ABCD", 25), {"A": "2C", "B": "KH", "C": "9D", "D": "AS"}
    assert race(odd, cards) == {"A": 0, "B": 1, "C": 0, "D": 1}
    assert race({**odd, "D": 0}, cards) == {"A": 0, "B": 1, "C": 1, "D": 0}
    assert race(odd, cards, whole="A") == {"A": 1, "B": 1, "C": 0, "D": 1}
    assert race({"A": 75, "B": 25}, {"A": "2C", "B": "2H"}, big=100) == {"A": 1, "B": 0}
    assert race({"A": 50}, {"A": "2C"}) is None
    assert race({"A": 25}, {"A": "2C 3C"}) is None
    assert race(odd, {**cards, "Z": "2H"}) is None
    assert race(odd, {**cards, "A": "AS"}) is None, "one deck has one ace of spades"
    assert race(odd, cards, whole="Z") is None


def test_random_hands_balance():
    """2000 seeded hands: all money is paid out or rake; no one wins more than is matched."""
    rng = random.Random(2011)
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
    for _ in range(2000):
        cards = rng.sample(deck, 13)
        players = "ABCD"[: rng.randint(2, 4)]
        hands = {p: f"{cards.pop()} {cards.pop()}" for p in players}
        bets = [(p, 20 * rng.randint(1, 40)) for p in players]
        table = {"rake": [1, 20], "chip": rng.choice([1, 5, 20]), "button": rng.choice(players)}
        outcome = {"board": " ".join(cards[:5]), "hands": hands}
        net_cents = nets(outcome, bets, table)
        stakes = [stake for _, stake in bets]
        for stake, net in zip(stakes, net_cents, strict=True):
            assert -stake <= net <= sum(min(stake, other) for other in stakes) - stake


# --- stakes held for the hand -------------------------------------------------------------------

HELD = [("A", 20000), ("B", 30000), ("C", 5000), ("D", 10000)]
PUT_IN = {
    "put_in": {"A": 20000, "B": 20000, "C": 5000, "D": 700},
    "folded": ["D"],
    "order": ["A", "B", "C", "D"],
}


def test_what_was_not_put_in_comes_back():
    """As the side pots above, raked 1 in 20: pots 15,700 and 30,000; B keeps 10,000, D 9,300.

    C gets 15,700 less 785, A 30,000 less 1,500; the others lost 20,700, of which 2,285 is rake.
    """
    outcome = {**reveal(A=KINGS, B=NINES, C=ACES), **PUT_IN}
    reply = answer(outcome, HELD, {"rake": [1, 20], "chip": 100})
    settled = [(line["win"], line["back"], line["lost"]) for line in reply["settlements"]]
    assert settled == [(8500, 20000, 0), (0, 10000, 20000), (9915, 5000, 0), (0, 9300, 700)]
    assert reply["rake"] == 2285


def test_alone_in_the_pot_everything_comes_back():
    """All folded to the big blind, and no small one was posted."""
    outcome = {"put_in": {"A": 200}, "folded": ["B"], "order": ["B", "A"]}
    assert nets(outcome, [("A", 5000), ("B", 5000)]) == [0, 0]
    played = {**outcome, **reveal(A=ACES, B=KINGS)}
    assert code(played, [("A", 5000), ("B", 5000)]) == "bet_not_in_round"


def test_the_odd_chip_goes_by_the_order():
    """Three share 7,600 in chips of 100: 76 chips, one more for who is first in the order."""
    board = {"board": "AS KS QS JS TS", "hands": {"A": "2C 3C", "B": "4C 5C", "C": "6C 7C"}}
    outcome = {
        **board,
        "put_in": {"A": 2500, "B": 2500, "C": 2500, "D": 100},
        "folded": ["D"],
        "order": ["B", "C", "D", "A"],
    }
    held = [(player, 5000) for player in "ABCD"]
    assert nets(outcome, held, {"chip": 100}) == [0, 100, 0, -100]


def test_actions_are_verified_against_the_stakes_held():
    """The small blind folds to the big one: 100 is called, 100 is returned."""
    preflop = [
        {"player": "B", "action": "small_blind", "amount": 100},
        {"player": "A", "action": "big_blind", "amount": 200},
        {"player": "B", "action": "fold"},
    ]
    outcome = {
        "put_in": {"A": 200, "B": 100},
        "folded": ["B"],
        "order": ["B", "A"],
        "actions": {"preflop": preflop},
    }
    held = [("A", 5000), ("B", 5000)]
    table = {"chip": 100, "big_blind": 200}
    assert nets(outcome, held, table) == [100, -100]
    assert code({**outcome, "put_in": {"A": 300, "B": 100}}, held, table) == "bet_not_in_round"
    early = {**outcome, "actions": {"preflop": [preflop[0], preflop[2], preflop[1]]}}
    assert code(early, held, table) == "action_not_legal"


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"put_in": {"A": 20100, "B": 100}}, "stake_out_of_range"),
        ({"put_in": {"A": 150, "B": 100}}, "stake_out_of_range"),
        ({"put_in": {"A": 0, "B": 100}}, "stake_out_of_range"),
        ({"put_in": {"E": 100, "B": 100}}, "unknown_field"),
        ({"put_in": {}}, "deal_incomplete"),
        ({"folded": ["E"]}, "unknown_field"),
        ({"order": ["A", "B", "C"]}, "bet_not_in_round"),
        ({"order": ["A", "B", "C", "D", "D"]}, "bet_not_in_round"),
        ({"order": None}, "missing_field"),
        ({"put_in": None}, "bet_not_in_round"),
    ],
)
def test_what_was_put_in_is_refused_where_it_cannot_be(change, wanted):
    outcome = {**reveal(A=KINGS, B=NINES, C=ACES), **PUT_IN, **change}
    assert code(outcome, HELD, {"chip": 100}) == wanted


def sentences(*args, **more):
    """What each player is told."""
    return json_lines.as_text(answer(*args, **more)).splitlines()


def test_a_hand_that_nobody_showed_is_told_by_who_passed():
    """All fold before the flop, where nothing was shown; then one mucks on the river."""
    assert sentences({}, [("A", 100), ("B", 100, "fold")]) == [
        "A: hand: won, oostende2011 3.10; winnings 1.00, stake 1.00 returned",
        "B: hand (fold): lost, oostende2011 2.16; stake 1.00 lost",
    ]
    told = sentences({**BOARD_OF_ONE, "mucked": ["B"]}, [("A", 100), ("B", 100)])
    assert told[1] == f"B: mucked, board {BOARD} on hand: lost, oostende2011 2.23; stake 1.00 lost"


def test_cents_below_a_chip_are_no_bet_and_stay_with_their_stack():
    """A has 100.50, of which 100 chips of 1.00 play; all-in is 100.00, and 0.50 is returned."""
    bets = [("A", 10_050), ("B", 20_000)]
    table = {"chip": 100, "big_blind": 200, "rake": [1, 20]}
    played = {
        "preflop": parse("B small_blind 100, A big_blind 200, B raise 20000, A call"),
    }
    outcome = {
        **reveal(A=ACES, B=KINGS),
        "order": ["A", "B"],
        "put_in": {"A": 10_000, "B": 20_000},
        "actions": played,
    }
    assert nets(outcome, bets, table) == [9000, -10_000]
    refused = answer({**outcome, "put_in": {"A": 10_050, "B": 20_000}}, bets, table)["error"]
    assert refused["where"] == "line 1: outcome.put_in.A"
    assert (
        "10050 cents are put in; 10000 of the 10050 held play, by chips of 100"
        in (refused["message"])
    )
    pushed = {"preflop": parse("B small_blind 100, A big_blind 200, B call, A raise 10000")}
    called = [*pushed["preflop"], *parse("B call")]
    equal = {"put_in": {"A": 10_000, "B": 10_000}, "actions": {"preflop": called}}
    assert nets({**outcome, **equal}, bets, table) == [9000, -10_000]


def test_a_button_without_a_bet_says_what_to_send_instead():
    """It folded before it put anything in."""
    refused = answer(reveal(A=ACES, B=KINGS), [("A", 100), ("B", 100)], {"button": "C"})["error"]
    assert (
        "'C' has no bet: list the bets from its left on, and leave button out"
        in (refused["message"])
    )


def test_what_is_put_in_is_chips():
    """At a smallest chip of 3.00 nobody put in 10.00; an odd 2.00 would go to the first."""
    table = {"chip": 300}
    refused = answer(reveal(A=ACES, B=KINGS), [("A", 900), ("B", 1000)], table)["error"]
    assert (refused["code"], refused["where"]) == ("not_a_multiple", "line 1: bets[1].stake")
    assert nets(reveal(A=ACES, B=KINGS), [("A", 900), ("B", 900)], table) == [900, -900]


def test_refusals_of_a_hand_without_a_winner_and_of_fewer_than_none():
    """The last to pass wins; no fewer than zero players have acted."""
    folded = [("A", 100, "fold"), ("B", 100, "fold")]
    assert (
        "who passed last wins without showing (2.23): list that player in mucked"
        in (answer(BOARD_OF_ONE, folded)["error"]["message"])
    )
    refused = answer({"misdeal": "wrong_deck", "acted": -1}, [("A", 100)])["error"]
    assert (refused["where"], refused["code"]) == ("line 1: outcome.acted", "limits_invalid")


@pytest.mark.parametrize(
    ("rake", "house", "wanted"),
    [
        ([1, 10], "hc2011", None),
        ([1, 9], "hc2011", "table.rake"),
        ([1, 9], None, None),
        ([1, 20], "hc2019", "table.house"),
    ],
)
def test_the_levy_of_a_house_is_at_most_what_its_document_says(rake, house, wanted):
    """hc2011 3:5(1): at most 10 % of the bets; oostende2011 prints no percentage."""
    table = {"rake": rake, "house": house, "chip": 25}
    stakes = [("A", 4500), ("B", 4500)]
    reply = answer(reveal(A=ACES, B=KINGS), stakes, table)
    if wanted is None:
        assert reply["rake"] == 9000 * rake[0] // rake[1]
    else:
        error = reply["error"]
        assert (error["code"], error["where"]) == ("limits_invalid", f"line 1: {wanted}")
