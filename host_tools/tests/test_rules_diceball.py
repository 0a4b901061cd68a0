"""Diceball: persistent bets, runs, the Grand Slam and its states from throw to throw."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import astuple

from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

STAKE = 100
THROWS = list(product(range(1, 7), repeat=2))
NO_SEVEN, SEVEN = [3, 3], [3, 4]
RULE, VOID = "hc2023 4:3(3)", "hc2023 4:1(3)"


def settle_bet(bet, faces, table=None):
    outcome = {"void": "die_off_table"} if faces is None else {"dice": list(faces)}
    record = {
        "rules": "hc2023",
        "game": "diceball",
        "bets": [{"id": "1", "player": "p", "stake": STAKE, **bet}],
        "outcome": outcome,
        "table": table,
    }
    [line] = settle_record(record)
    assert line.stake == line.back + line.live + line.lost
    return line


def played(bet, throws):
    """Play a bet over throws, carrying the live stake and its state; return all lines."""
    lines = []
    for faces in throws:
        lines.append(settle_bet(bet, faces))
        bet = {**bet, "stake": lines[-1].live, "state": lines[-1].state}
    return lines


def refusal(bet, faces=NO_SEVEN, table=None):
    with pytest.raises(RuleViolation) as error:
        settle_bet(bet, faces, table)
    return error.value.code.name, error.value.where


def kept_per_decision(bet):
    """What the bank keeps of a stake of 1 at the throws that win or lose it."""
    lines = [settle_bet(bet, faces) for faces in THROWS]
    decided = [line for line in lines if line.outcome in ("win", "lose")]
    return Fraction(sum(line.lost - line.win for line in decided), STAKE * len(decided))


def test_7_seven_out():
    """4:1 on a 7, decided by every throw: edge 1/6."""
    assert kept_per_decision({"bet": "seven_out"}) == Fraction(1, 6)
    assert not any(settle_bet({"bet": "seven_out"}, faces).live for faces in THROWS)


@pytest.mark.parametrize("face", range(1, 7))
def test_7_hard_line(face):
    """5:1 on the double before a 7: edge 1/7 of what is decided."""
    assert kept_per_decision({"bet": "hard", "on": [face]}) == Fraction(1, 7)


# The six fields of other houses (READING-22), five ways each, and single pairs by the letter.
FIELDS = [
    [[1, 1], [1, 4], [2, 3]],
    [[1, 2], [1, 3], [2, 2]],
    [[1, 5], [2, 4], [3, 3]],
    [[2, 6], [3, 5], [4, 4]],
    [[4, 6], [5, 5], [5, 6]],
    [[3, 6], [4, 5], [6, 6]],
]
PAIRS = [[a, b] for a in range(1, 7) for b in range(a + 1, 7) if a + b != 7]


def test_7_place_line():
    """Edge 1/2 by the letter, 1/11 on a field of five ways."""
    assert len(PAIRS) == 12
    for pair in PAIRS:
        assert kept_per_decision({"bet": "place", "on": [pair]}) == Fraction(1, 2)
    for field in FIELDS:
        assert kept_per_decision({"bet": "place", "on": field}) == Fraction(1, 11)


def chain(bet):
    """Return the exact return of a stake of 1 to its first decision, over the chain of states."""
    total, alive, states = Fraction(0), Fraction(1), {None}
    while alive:
        [state] = states
        lines = [settle_bet({**bet, "state": state}, faces) for faces in THROWS]
        ended = [line for line in lines if line.outcome in ("win", "lose")]
        # A run pays and leaves its stake live: to the player, both are his.
        his = sum(line.win + line.back + line.live for line in ended)
        total += alive * Fraction(his, STAKE * len(THROWS))
        alive *= Fraction(len(THROWS) - len(ended), len(THROWS))
        states = {line.state for line in lines if line not in ended}
    return total


def test_7_run_line():
    """1:1 on four throws without 7: edge 46/1296."""
    assert 1 - chain({"bet": "run"}) == Fraction(46, 1296)


def test_7_grand_slam():
    """Rulebook 7: sum over the runs with q = (5/6)^4; edge 4.6912 per cent."""
    q = Fraction(625, 1296)
    wanted = 2 * q**3 * (1 - q) + 6 * q**4 * (1 - q) + 16 * q**5 * (1 - q) + 36 * q**6
    assert chain({"bet": "slam"}) == wanted
    assert round(float(1 - wanted), 6) == 0.046912


def test_7_bets_stand_until_decided_and_after_a_win():
    """4:3(3): bets stay in play; winnings are paid each time, a 7 takes the stake."""
    lines = played({"bet": "hard", "on": [3]}, [[1, 2], [3, 3], None, [3, 3], [4, 3]])
    stood, won = (0, 0, STAKE, 0), (500, 0, STAKE, 0)
    assert [astuple(line)[3:7] for line in lines] == [stood, won, stood, won, (0, 0, 0, STAKE)]
    assert [line.outcome for line in lines] == ["stand", "win", "stand", "win", "lose"]
    assert [line.rule for line in lines] == [RULE, RULE, VOID, RULE, RULE]


def test_7_runs_pay_each_time_and_a_void_counts_nothing():
    """Four valid throws a run; READING-5: a void neither advances nor resets it."""
    lines = played({"bet": "run"}, [NO_SEVEN, None, *[NO_SEVEN] * 7, SEVEN])
    states = ["run1", "run1", "run2", "run3", None, "run1", "run2", "run3", None, None]
    assert [line.state for line in lines] == states
    assert [line.win for line in lines] == [0, 0, 0, 0, 100, 0, 0, 0, 100, 0]
    assert astuple(lines[-1])[1:7] == ("lose", STAKE, 0, 0, 0, STAKE)


@pytest.mark.parametrize(
    ("runs", "pays"), [(0, None), (1, None), (2, None), (3, 100), (4, 500), (5, 1500)]
)
@pytest.mark.parametrize("more", range(4))
def test_7_grand_slam_is_paid_once_at_the_seven(runs, pays, more):
    """READING-21: by the complete runs when the 7 falls; less than three lose."""
    count = 4 * runs + more
    lines = played({"bet": "slam"}, [*[NO_SEVEN] * count, SEVEN])
    assert [line.state for line in lines[:-1]] == [f"slam{n}" for n in range(1, count + 1)]
    assert all(astuple(line)[1:7] == ("stand", STAKE, 0, 0, STAKE, 0) for line in lines[:-1])
    paid = ("win", STAKE, pays, STAKE, 0, 0) if pays else ("lose", STAKE, 0, 0, 0, STAKE)
    assert astuple(lines[-1])[1:8] == (*paid, None)


def test_7_six_runs_close_the_grand_slam():
    """At the 24th throw without 7: 35:1 at once, stake back."""
    lines = played({"bet": "slam"}, [NO_SEVEN] * 23 + [[6, 6]])
    assert lines[-2].state == "slam23"
    assert astuple(lines[-1])[1:8] == ("win", STAKE, 3500, STAKE, 0, 0, None)


@pytest.mark.parametrize("bet", ["seven_out", "run", "slam"])
def test_a_void_decides_nothing(bet):
    """Stake live, state as it was, article of the conditions."""
    assert astuple(settle_bet({"bet": bet}, None))[1:] == (
        "stand",
        STAKE,
        0,
        0,
        STAKE,
        0,
        None,
        VOID,
    )


def test_reading_23_a_table_that_counts_takes_runs_and_slams_at_their_beginning():
    """With `thrown`, a stake is in the state of the shooter, or it is refused."""
    count = {"minimum": 100}
    for thrown, run, slam in ((0, None, None), (4, None, "slam4"), (7, "run3", "slam7")):
        table = {**count, "thrown": thrown}
        assert settle_bet({"bet": "run", "state": run}, NO_SEVEN, table).live == STAKE
        assert settle_bet({"bet": "slam", "state": slam}, NO_SEVEN, table).live == STAKE
    late = {**count, "thrown": 5}
    assert refusal({"bet": "slam"}, table=late) == ("state_not_possible", "bets[0].state")
    assert refusal({"bet": "run"}, table=late) == ("state_not_possible", "bets[0].state")
    assert refusal({"bet": "slam"}, table={**count, "thrown": 24})[0] == "state_not_possible"
    assert refusal({"bet": "run"}, table={**count, "thrown": -1}) == (
        ("limits_invalid", "table.thrown")
    )


def test_reading_22_fields_are_those_the_table_prints():
    """With printed fields nothing else is a Place Line."""
    table = {"minimum": 100, "place": FIELDS}
    assert settle_bet({"bet": "place", "on": FIELDS[0]}, [1, 1], table).win == 100
    other = {"bet": "place", "on": [[1, 4]]}
    assert refusal(other, table=table) == ("selection_invalid", "bets[0].on")
    table["place"] = [[[1, 6]]]
    assert refusal(other, table=table) == ("limits_invalid", "table.place[0]")


WRONG_FIELDS = [
    ([], "selection_missing", ".on"),
    ([1, 2], "selection_invalid", ".on"),
    ([[1]], "selection_invalid", ".on"),
    ([[1, 2, 3]], "selection_invalid", ".on"),
    ([[2, 1]], "selection_invalid", ".on"),
    ([[1, 5], [1, 2]], "selection_invalid", ".on"),
    ([[1, 2], [1, 2]], "selection_invalid", ".on"),
    ([[0, 2]], "selection_invalid", ".on"),
    ([[1, 7]], "selection_invalid", ".on"),
    ([[1, 6]], "selection_invalid", ".on"),
    ([[1, 2], [3, 4]], "selection_invalid", ".on"),
    ([[2, 2]], "selection_invalid", ".on"),
    ([[1, 2], 3], "selection_invalid", ".on"),
    ([[1, 2.0]], "wrong_type", ".on[0][1]"),
    ([[True, 2]], "wrong_type", ".on[0][0]"),
    ([["1", 2]], "wrong_type", ".on[0][0]"),
    ([[[1], 2]], "wrong_type", ".on[0][0]"),
]


@pytest.mark.parametrize(("on", "code", "where"), WRONG_FIELDS, ids=str)
def test_what_is_no_field_is_refused(on, code, where):
    """Unsorted, doubled, out of range, of total 7, doubles alone, or no ints."""
    assert refusal({"bet": "place", "on": on}) == (code, f"bets[0]{where}")


@pytest.mark.parametrize(
    ("bet", "state"),
    [
        ("run", "run0"),
        ("run", "run4"),
        ("run", "slam1"),
        ("run", "Run1"),
        ("slam", "slam0"),
        ("slam", "slam24"),
        ("slam", "slam01"),
        ("seven_out", "run1"),
    ],
)
def test_states_that_cannot_be_are_refused(bet, state):
    """A state is one this bet can be in, written as it was given."""
    assert refusal({"bet": bet, "state": state}) == ("state_not_possible", "bets[0].state")
