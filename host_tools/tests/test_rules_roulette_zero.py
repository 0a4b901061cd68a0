"""Zero, en prison and voids: the tables of rulebook 3.3 and 3.4, row by row."""

import pytest
from msgspec.structs import astuple

from tabletools.games import roulette
from tabletools.rules.settlement import settle_round
from tabletools.rules.violation import RuleViolation

EVEN = ("even", "odd", "low", "high", "red", "black")
FRENCH = [roulette.rules_of("hc2011", "french"), roulette.rules_of("hc2023", "french")]

# Rulebook 3.3: edition, variant, pocket, outcome and part of 400 that is returned, article.
ZERO_ON_EVEN_CHANCE = [
    ("hc2023", "french", "0", "half", 200, "hc2023 2:2(1)"),
    ("hc2011", "french", "0", "half", 200, "hc2011 2:2(1)"),
    ("hc2023", "american", "0", "half", 200, "hc2023 2:3(2)"),
    ("hc2011", "american", "0", "half", 200, "hc2011 2:3(2)"),
    ("hc2023", "american00", "0", "lose", 0, "hc2023 2:3(2)"),
    ("hc2023", "american00", "00", "lose", 0, "hc2023 2:3(2)"),
    ("hc2011", "american00", "0", "lose", 0, "hc2011 2:3(3)"),
    ("hc2011", "american00", "00", "lose", 0, "hc2011 2:3(3)"),
    ("hc2023", "quick", "0", "lose", 0, "hc2023 2:4(2)"),
]
# Rulebook 3.4 for S = 400: state, stake in play, what falls, choice ->
# outcome, win, back, live, lost, new state. "own" is 1, "other" is 2, for a bet on odd.
PRISON = [
    (None, 400, "own", "half", "win", 400, 400, 0, 0, None),
    (None, 400, "own", "prison", "win", 400, 400, 0, 0, None),
    (None, 400, "other", "half", "lose", 0, 0, 0, 400, None),
    (None, 400, "other", "prison", "lose", 0, 0, 0, 400, None),
    (None, 400, "zero", "half", "half", 0, 200, 0, 200, None),
    (None, 400, "zero", None, "half", 0, 200, 0, 200, None),
    (None, 400, "zero", "prison", "prison", 0, 0, 400, 0, "prison1"),
    (None, 400, "void", "prison", "stand", 0, 0, 400, 0, None),
    (None, 400, "void", "half", "stand", 0, 0, 400, 0, None),
    ("prison1", 400, "own", "half", "push", 0, 400, 0, 0, None),
    ("prison1", 400, "own", "prison", "push", 0, 400, 0, 0, None),
    ("prison1", 400, "other", "half", "lose", 0, 0, 0, 400, None),
    ("prison1", 400, "other", "prison", "lose", 0, 0, 0, 400, None),
    ("prison1", 400, "zero", "half", "half", 0, 100, 0, 300, None),
    ("prison1", 400, "zero", None, "half", 0, 100, 0, 300, None),
    ("prison1", 400, "zero", "prison", "prison", 0, 0, 200, 200, "prison2"),
    ("prison1", 400, "void", "prison", "stand", 0, 0, 400, 0, "prison1"),
    ("prison2", 200, "own", "half", "push", 0, 200, 0, 0, None),
    ("prison2", 200, "own", "prison", "push", 0, 200, 0, 0, None),
    ("prison2", 200, "other", "half", "lose", 0, 0, 0, 200, None),
    ("prison2", 200, "zero", "half", "lose", 0, 0, 0, 200, None),
    ("prison2", 200, "zero", "prison", "lose", 0, 0, 0, 200, None),
    ("prison2", 200, "zero", None, "lose", 0, 0, 0, 200, None),
    ("prison2", 200, "void", "half", "stand", 0, 0, 200, 0, "prison2"),
]


def settle(rules, pocket, **slip):
    outcome = roulette.VOID if pocket == "void" else roulette.outcome_of(rules, pocket)
    placed = roulette.accept(rules, roulette.RouletteSlip(id="1", **slip))
    [line] = settle_round([placed], outcome)
    return line


@pytest.mark.parametrize(
    ("edition", "variant", "pocket", "outcome", "back", "rule"), ZERO_ON_EVEN_CHANCE
)
@pytest.mark.parametrize("choice", [None, "half"])
def test_3_3_zero_on_even_chances(edition, variant, pocket, outcome, back, rule, choice):
    """A zero's effect on an even chance, and the article for it."""
    rules = roulette.rules_of(edition, variant)
    for kind in EVEN:
        line = settle(rules, pocket, bet=kind, stake=400, choice=choice)
        assert astuple(line)[1:-1] == (outcome, 400, 0, back, 0, 400 - back, None)
        assert line.rule == rule


@pytest.mark.parametrize(
    ("edition", "variant", "pocket", "outcome", "back", "rule"), ZERO_ON_EVEN_CHANCE[2:]
)
def test_3_3_no_choice_but_on_french_tables(edition, variant, pocket, outcome, back, rule):
    """hc2011 2:3(2) leaves en prison out; hc2023 2:3(2) gives no choice: it changes nothing."""
    rules = roulette.rules_of(edition, variant)
    line = settle(rules, pocket, bet="red", stake=400, choice="prison")
    assert (*astuple(line)[1:-1], line.rule) == (outcome, 400, 0, back, 0, 400 - back, None, rule)


@pytest.mark.parametrize(
    ("edition", "variant", "pocket", "rule"),
    [(e, v, p, rule) for e, v, p, _, _, rule in ZERO_ON_EVEN_CHANCE if v != "quick"],
)
def test_3_3_zero_on_dozens_and_columns(edition, variant, pocket, rule):
    """Dozens and columns lose at any zero."""
    rules = roulette.rules_of(edition, variant)
    for kind in ("dozen", "column"):
        for index in (1, 2, 3):
            line = settle(rules, pocket, bet=kind, stake=400, index=index)
            assert (*astuple(line)[1:-1], line.rule) == ("lose", 400, 0, 0, 0, 400, None, rule)


@pytest.mark.parametrize("rules", FRENCH, ids=lambda r: r.name)
@pytest.mark.parametrize(
    ("state", "stake", "falls", "choice", "outcome", "win", "back", "live", "lost", "after"),
    PRISON,
)
def test_3_4_en_prison(rules, state, stake, falls, choice, outcome, win, back, live, lost, after):
    """Each row of the state machine, for every even chance."""
    opposite = dict(zip(EVEN, ("odd", "even", "high", "low", "black", "red"), strict=True))
    for kind in EVEN:
        own, other = (rules.wheel.positions[k][0].numbers[0] for k in (kind, opposite[kind]))
        pocket = {"own": own, "other": other, "zero": "0", "void": "void"}[falls]
        line = settle(rules, pocket, bet=kind, stake=stake, choice=choice, state=state)
        article = "2:1(2)" if falls == "void" else "2:2(1)"
        expected = (outcome, stake, win, back, live, lost, after, f"{rules.edition} {article}")
        assert (*astuple(line)[1:-1], line.rule) == expected


def test_3_4_every_cell_of_the_state_machine_is_in_the_table():
    """3 states x 4 events x 2 choices; the choice is distinguished where it matters."""
    cells = {(row[0], row[2]) for row in PRISON}
    assert len(cells) == 12
    zeros = {(row[0], row[3]) for row in PRISON if row[2] == "zero"}
    assert len(zeros) == 9


@pytest.mark.parametrize(
    ("path", "net"),
    [
        ("zero-prison own", 0),
        ("zero-prison other", -400),
        ("zero-prison zero-half", -300),
        ("zero-prison zero-prison own", -200),
        ("zero-prison zero-prison other", -400),
        ("zero-prison zero-prison zero-half", -400),
        ("void zero-prison void zero-prison void own", -200),
    ],
)
def test_3_4_cumulative_net(path, net):
    """A bet carried from round to round by stake and state ends with the rulebook's net."""
    rules = FRENCH[1]
    stake, state, back = 400, None, 0
    for event in path.split():
        falls, _, choice = event.partition("-")
        pocket = {"own": "1", "other": "2", "zero": "0", "void": "void"}[falls]
        line = settle(rules, pocket, bet="odd", stake=stake, state=state, choice=choice or None)
        back += line.win + line.back
        stake, state = line.live, line.state
    assert stake == 0
    assert back - 400 == net


@pytest.mark.parametrize("rules", roulette.all_rules(), ids=lambda r: r.name)
def test_2_r_1_to_4_a_void_leaves_every_bet_standing(rules):
    """A stopped spin decides nothing, whatever the bet: the whole stake stays live."""
    for kind in rules.odds:
        for position in rules.wheel.positions[kind]:
            line = settle(rules, "void", bet=kind, numbers=position.numbers, stake=333)
            rule = f"{rules.edition} 2:1(2)"
            assert (*astuple(line)[1:-1], line.rule) == ("stand", 333, 0, 0, 333, 0, None, rule)


@pytest.mark.parametrize("rules", roulette.all_rules(), ids=lambda r: r.name)
@pytest.mark.parametrize("state", ["prison1", "prison2"])
def test_3_4_only_french_even_chances_can_be_imprisoned(rules, state):
    """A state on any other bet or table is refused, not ignored."""
    for kind in rules.odds:
        numbers = rules.wheel.positions[kind][0].numbers
        slip = roulette.RouletteSlip(id="1", bet=kind, numbers=numbers, stake=400, state=state)
        fits = rules.variant == "french" and kind in EVEN
        if fits:
            assert roulette.accept(rules, slip).state == state
        else:
            with pytest.raises(RuleViolation) as refused:
                roulette.accept(rules, slip)
            assert (refused.value.code.name, refused.value.where) == (
                "state_not_possible",
                "state",
            )
