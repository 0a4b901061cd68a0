"""Properties over any input: a naive second settlement agrees, refusal never crashes."""

import io
import json
from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tabletools.games import roulette
from tabletools.rules.settlement import settle_round
from tabletools.rules.violation import RuleViolation
from tabletools.settle import json_lines

CODES = {code.name for code in json_lines.CODES} - {"internal_error"}
KEYS = {"id", "outcome", "stake", "win", "back", "live", "lost", "state"}
KEYS |= {"rule", "paragraphs", "odds", "facts"}
RULES = roulette.all_rules()
EVEN = ("even", "odd", "low", "high", "red", "black")
ODDS = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 12: 2, 18: 1}


def naive(variant, kind, numbers, stake, choice, state, pocket):
    """Rulebook 3.2 to 3.4 once more, written as a person reads it; amounts as fractions.

    Returns (outcome, win, back, live, lost, state).
    """
    if pocket is None:
        return "stand", 0, 0, stake, 0, state
    if pocket in numbers:
        if state:
            return "push", 0, stake, 0, 0, None
        return "win", ODDS[len(numbers)] * stake, stake, 0, 0, None
    if kind not in EVEN or pocket not in ("0", "00") or variant in ("quick", "american00"):
        return "lose", 0, 0, 0, stake, None
    if variant == "american":
        return "half", 0, Fraction(stake, 2), 0, Fraction(stake, 2), None
    if state == "prison2":
        return "lose", 0, 0, 0, stake, None
    worth = Fraction(stake, 2) if state == "prison1" else stake
    if choice == "prison":
        held = "prison2" if state else "prison1"
        return "prison", 0, 0, worth, stake - worth, held
    return "half", 0, Fraction(worth, 2), 0, stake - Fraction(worth, 2), None


@st.composite
def slips(draw, rules):
    kind = draw(st.sampled_from(list(rules.odds)))
    position = draw(st.sampled_from(rules.wheel.positions[kind]))
    held = rules.variant == "french" and kind in EVEN
    return {
        "bet": kind,
        "numbers": draw(st.permutations(position.numbers)),
        "stake": draw(st.integers(1, 5000) | st.integers(1, 10**12)),
        "choice": draw(st.sampled_from([None, "half", "prison"])),
        "state": draw(st.sampled_from([None, "prison1", "prison2"])) if held else None,
    }


@st.composite
def rounds(draw):
    rules = draw(st.sampled_from(RULES))
    asked = draw(st.lists(slips(rules), max_size=8))
    pocket = draw(st.none() | st.just("0") | st.sampled_from(rules.wheel.pockets))
    return {
        "rules": rules.edition,
        "game": "roulette",
        "variant": rules.variant,
        "bets": [{"id": str(i), **slip} for i, slip in enumerate(asked)],
        "outcome": {"void": "short_spin"} if pocket is None else {"pocket": pocket},
    }


def expected_lines(record):
    """The naive settlement of a round; None if a part of a cent would come of it."""
    results = []
    for bet in record["bets"]:
        arguments = (bet[key] for key in ("bet", "numbers", "stake", "choice", "state"))
        line = naive(record["variant"], *arguments, record["outcome"].get("pocket"))
        if any(Fraction(amount).denominator != 1 for amount in line[1:5]):
            return None
        results.append((bet["id"], line[0], bet["stake"], *line[1:]))
    return results


@settings(max_examples=share(200, 3), deadline=None)
@given(rounds())
def test_settlement_agrees_with_a_naive_one_and_balances(record):
    """Every amount, outcome and state follows the rulebook, or the round is refused."""
    answer, code = json_lines.answer(json.dumps(record).encode(), line=1)
    wanted = expected_lines(record)
    if wanted is None:
        assert code == 1
        assert answer["error"]["code"] == "not_whole_cents"
        return
    assert code == 0
    settled = answer["settlements"]
    assert [tuple(line.values())[:8] for line in settled] == wanted
    for line in settled:
        assert line["stake"] == line["back"] + line["live"] + line["lost"]
        assert min(line[key] for key in ("stake", "win", "back", "live", "lost")) >= 0
        assert (line["live"] > 0) == (line["outcome"] in ("prison", "stand"))


@settings(max_examples=share(100, 3), deadline=None)
@given(rounds())
def test_bulk_and_one_by_one_are_the_same(record):
    """A round settled in bulk is its bets settled one by one, in any order."""
    rules = roulette.rules_of(record["rules"], record["variant"])
    pocket = record["outcome"].get("pocket")
    outcome = roulette.VOID if pocket is None else roulette.outcome_of(rules, pocket)
    placed = [roulette.accept(rules, roulette.RouletteSlip(**bet)) for bet in record["bets"]]
    whole = [bet for bet in placed if bet.stake % bet.verdicts[outcome].den == 0]
    bulk = settle_round(whole, outcome)
    assert bulk == [line for bet in whole for line in settle_round([bet], outcome)]
    assert settle_round(whole[::-1], outcome) == bulk[::-1]


@settings(max_examples=share(100, 3), deadline=None)
@given(rounds())
def test_what_was_placed_can_always_be_settled(record):
    """A bet that passes placement never yields a part of a cent, in any later round either."""
    rules = roulette.rules_of(record["rules"], record["variant"])
    for bet in record["bets"]:
        slip = roulette.RouletteSlip(**bet | {"state": None})
        try:
            held = [roulette.place(rules, slip)]
        except RuleViolation:
            continue
        for choice in ("prison", "prison", "half"):
            for outcome in range(-1, len(rules.wheel.pockets)):
                settle_round(held, outcome)
            zero = roulette.outcome_of(rules, "0")
            [line] = settle_round(held, zero)
            if not line.live:
                break
            later = {**bet, "stake": line.live, "state": line.state, "choice": choice}
            held = [roulette.accept(rules, roulette.RouletteSlip(**later))]


def check_answer(raw):
    answer, code = json_lines.answer(raw, line=7)
    assert json.loads(json.dumps(answer)) == answer
    if "settlements" in answer:
        assert code == 0
        assert all(set(line) == KEYS for line in answer["settlements"])
        return
    assert code == 1
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"code", "message", "where"}
    assert answer["error"]["code"] in CODES, answer
    assert answer["error"]["where"].startswith("line 7")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(json_values)
def test_any_json_value_is_answered(value):
    """For any line there is one settlement or one error."""
    check_answer(json.dumps(value).encode())


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_answered(raw):
    """So it is with bytes that are no JSON."""
    check_answer(raw)


@st.composite
def spoil(draw):
    """A good round with one value, at any depth, replaced, removed or added."""
    record = draw(rounds().filter(lambda record: record["bets"]))
    places = [record, record["outcome"], *record["bets"]]
    place = draw(st.sampled_from(places))
    key = draw(st.sampled_from([*place, "table", "index", "extra"]))
    if draw(st.booleans()):
        place[key] = draw(json_values | st.sampled_from(["0", "00", 1, 10**20, [], ["0"], "red"]))
    else:
        place.pop(key, None)
    return record


@settings(max_examples=share(300, 3), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spoil())
def test_any_spoiled_round_is_answered(record):
    """One wrong value anywhere gives a settlement or an error, nothing else."""
    check_answer(json.dumps(record).encode())


@settings(deadline=None)
@given(rounds(), st.data())
def test_any_cut_or_flip_is_answered(record, data):
    """A line cut short or with a byte changed is answered too."""
    raw = bytearray(json.dumps(record).encode())
    place = data.draw(st.integers(0, len(raw) - 1))
    check_answer(bytes(raw[:place]))
    raw[place] ^= data.draw(st.integers(1, 255))
    check_answer(bytes(raw))


@settings(deadline=None)
@given(st.lists(rounds() | json_values, max_size=6))
def test_answers_come_in_order_one_a_line(records):
    """The stream of answers is the answers of the lines, one by one."""
    raw = [json.dumps(record).encode() for record in records]
    out = io.BytesIO()
    code = json_lines.settle_command(io.BytesIO(b"".join(line + b"\n" for line in raw)), out)
    singly = [json_lines.answer(line, line=number) for number, line in enumerate(raw, start=1)]
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [a for a, _ in singly]
    assert code == max((each for _, each in singly), default=0)
