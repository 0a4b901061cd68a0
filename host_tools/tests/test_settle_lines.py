"""The JSON Lines surface: answers, articles, and every error code provoked."""

import io
import json

import pytest

from tabletools.settle import json_lines
from tabletools.settle.strict_json import MAX_LINE


def round_(**changes):
    """A round that settles, with changes; a value of ... leaves the field out."""
    record = {
        "rules": "hc2023",
        "game": "roulette",
        "variant": "french",
        "bets": [{"id": "1", "player": "p", "bet": "red", "stake": 500}],
        "outcome": {"pocket": "1"},
    }
    return {name: value for name, value in (record | changes).items() if value is not ...}


def bet(**changes):
    record = {"id": "1", "player": "p", "bet": "red", "stake": 500}
    return {name: value for name, value in (record | changes).items() if value is not ...}


def answers(*raw):
    """Send lines, as bytes or as values, to the command; return answers and exit code."""
    sent = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in raw]
    out = io.BytesIO()
    code = json_lines.settle_command(io.BytesIO(b"\n".join(sent) + b"\n"), out)
    return [json.loads(line) for line in out.getvalue().splitlines()], code


def error(raw):
    [answer], code = answers(raw)
    assert code == 1
    assert set(answer) == {"error"}
    return answer["error"]


def test_the_example_of_the_contract():
    """Two bets at zero: the split wins 17:1, the even chance goes to prison."""
    bets = [
        {
            "id": "1",
            "player": "p",
            "bet": "split",
            "numbers": ["0", "1"],
            "stake": 500,
            "choice": "half",
            "state": None,
        },
        bet(id="2", choice="prison"),
    ]
    [answer], code = answers(round_(bets=bets, outcome={"pocket": "0"}))
    assert code == 0
    cited = {"rule": "hc2023 2:2(1)", "paragraphs": ["hc2023 2:2(1)"]}
    rest = {"live": 0, "lost": 0, "state": None, **cited}
    split = {"id": "1", "outcome": "win", "stake": 500, "win": 8500, "back": 500, **rest}
    held = {"id": "2", "outcome": "prison", "stake": 500, "win": 0, "back": 0, **rest}
    held |= {"live": 500, "state": "prison1"}
    split |= {"odds": "17:1", "facts": "0 on the split 0-1 (half)"}
    held |= {"odds": None, "facts": "0 on red (prison)"}
    assert answer == {"settlements": [split, held]}


# Rulebook 3.2 and 3.3: edition, variant, bet, pocket -> outcome and the article cited.
ARTICLES = [
    ("hc2023", "french", {"bet": "straight", "numbers": ["7"]}, "7", "win", "2:2(1)"),
    ("hc2023", "french", {"bet": "straight", "numbers": ["7"]}, "0", "lose", "2:2(1)"),
    ("hc2023", "french", {"bet": "dozen", "index": 1}, "0", "lose", "2:2(1)"),
    ("hc2011", "french", {"bet": "red"}, "0", "half", "2:2(1)"),
    ("hc2011", "american", {"bet": "split", "numbers": ["1", "2"]}, "1", "win", "2:3(2)"),
    ("hc2011", "american", {"bet": "red"}, "0", "half", "2:3(2)"),
    ("hc2011", "american00", {"bet": "red"}, "1", "win", "2:3(2)"),
    ("hc2011", "american00", {"bet": "red"}, "00", "lose", "2:3(3)"),
    ("hc2011", "american00", {"bet": "column", "index": 3}, "0", "lose", "2:3(3)"),
    ("hc2011", "american00", {"bet": "straight", "numbers": ["1"]}, "00", "lose", "2:3(2)"),
    ("hc2011", "american00", {"bet": "top_line"}, "00", "win", "2:3(4)"),
    ("hc2011", "american00", {"bet": "top_line"}, "4", "lose", "2:3(4)"),
    ("hc2023", "american00", {"bet": "top_line"}, "3", "win", "2:3(3)"),
    ("hc2023", "american00", {"bet": "red"}, "00", "lose", "2:3(2)"),
    ("hc2023", "quick", {"bet": "red"}, "0", "lose", "2:4(2)"),
    ("hc2023", "quick", {"bet": "six_line", "numbers": list("123456")}, "4", "win", "2:4(2)"),
    ("hc2011", "american", {"bet": "red"}, None, "stand", "2:1(2)"),
    ("hc2023", "quick", {"bet": "red"}, None, "stand", "2:1(2)"),
]


@pytest.mark.parametrize(("edition", "variant", "asked", "pocket", "outcome", "article"), ARTICLES)
def test_each_line_names_its_article(edition, variant, asked, pocket, outcome, article):
    """A settlement cites edition and article, and what it cites is the article that decided."""
    what = {"pocket": pocket} if pocket else {"void": "short_spin"}
    bets = [{"id": "1", "stake": 400, **asked}]
    record = round_(rules=edition, variant=variant, bets=bets, outcome=what)
    [answer], code = answers(record)
    [line] = answer["settlements"]
    assert (code, line["outcome"], line["rule"]) == (0, outcome, f"{edition} {article}")


def test_a_bad_line_does_not_touch_the_others():
    """Answers come in order, one a line, and the exit code shows that one failed."""
    replies, code = answers(round_(), b"{", round_(), b"", round_(bets=[]))
    assert [next(iter(answer)) for answer in replies] == [
        "settlements",
        "error",
        "settlements",
        "error",
        "settlements",
    ]
    assert code == 1
    assert replies[0] == replies[2]
    assert replies[1]["error"]["where"] == "line 2"


def test_nothing_in_nothing_out():
    """An empty stream has no line."""
    out = io.BytesIO()
    assert json_lines.settle_command(io.BytesIO(b""), out) == 0
    assert out.getvalue() == b""


def test_a_last_line_without_end_and_carriage_returns():
    """The last line needs no end; a carriage return before the end is white space."""
    raw = json.dumps(round_()).encode()
    out = io.BytesIO()
    assert json_lines.settle_command(io.BytesIO(raw + b"\r\n" + raw), out) == 0
    assert len(out.getvalue().splitlines()) == 2


def test_only_a_line_feed_ends_a_line():
    """Other characters that look like line ends to some programs do not split a line."""
    record = round_(bets=[bet(id="a\u2028b\u0085c\x0bd")])
    [answer], code = answers(json.dumps(record, ensure_ascii=False).replace("\\u000b", "?"))
    assert code == 1  # a bare text is no round
    [answer], code = answers(json.dumps(record, ensure_ascii=False).encode())
    assert code == 0
    assert answer["settlements"][0]["id"] == "a\u2028b\u0085c\x0bd"


class Pipe(io.BytesIO):
    """Hands out a line only when the answer to the one before has been flushed."""

    def __init__(self, raw, out):
        super().__init__(raw)
        self.out, self.read_lines = out, 0

    def readline(self, size=-1):
        assert self.out.flushed == self.read_lines
        self.read_lines += 1
        return super().readline(size)


class Out(io.BytesIO):
    flushed = 0

    def flush(self):
        self.flushed = self.getvalue().count(b"\n")


def test_each_answer_is_out_before_the_next_line_is_read():
    """In a pipe the asker gets his answer while the stream stays open."""
    out = Out()
    json_lines.settle_command(Pipe(json.dumps(round_()).encode() + b"\n" + b"x\n", out), out)
    assert out.flushed == 2


def test_null_is_the_same_as_left_out():
    """Every field that may be left out may be null."""
    empty = dict.fromkeys(("player", "numbers", "index", "choice", "state"))
    first, code = answers(round_(bets=[bet(player=...)]))
    second, _ = answers(
        round_(bets=[bet(**empty)], table=None, outcome={"pocket": "1", "void": None})
    )
    assert first == second
    assert code == 0
    third, _ = answers(round_(bets=[bet(numbers=[])]))
    assert first == third


DEEP = b"[" * 100_000
ERRORS = [
    # Not a line of JSON.
    ("empty_line", b"", "line 1"),
    ("empty_line", b" \t ", "line 1"),
    ("line_too_long", b" " * (MAX_LINE + 1), "line 1"),
    ("not_utf8", b'{"rules":"\xff"}', "line 1"),
    ("not_utf8", json.dumps(round_()).encode("utf-16"), "line 1"),
    ("not_json", b"{", "line 1"),
    ("not_json", b"\xef\xbb\xbf{}", "line 1"),
    ("not_json", b"{} {}", "line 1"),
    ("not_json", b"{'rules':1}", "line 1"),
    ("not_json", b'{"rules":NaN}', "line 1"),
    ("not_json", b'{"rules":-Infinity}', "line 1"),
    ("not_json", b'{"stake":' + b"9" * 5000 + b"}", "line 1"),
    ("too_deep", DEEP, "line 1"),
    ("too_deep", b'{"a":' * 100_000, "line 1"),
    ("duplicate_key", b'{"rules":"hc2023","rules":"hc2011"}', "line 1"),
    # Not a round.
    ("wrong_type", b"[]", "line 1"),
    ("wrong_type", b"null", "line 1"),
    ("wrong_type", b'"hc2023"', "line 1"),
    ("missing_field", {}, "line 1: game"),
    ("missing_field", round_(rules=...), "line 1: rules"),
    ("missing_field", round_(game=...), "line 1: game"),
    ("missing_field", round_(variant=None), "line 1: variant"),
    ("missing_field", round_(bets=...), "line 1: bets"),
    ("missing_field", round_(outcome=...), "line 1: outcome"),
    ("unknown_field", round_(stake=5), "line 1"),
    ("unknown_rules", round_(rules="hc1999"), "line 1: rules"),
    ("unknown_game", round_(game="Roulette"), "line 1: game"),
    ("unknown_variant", round_(variant="French"), "line 1: variant"),
    ("variant_not_in_rules", round_(rules="hc2011", variant="quick"), "line 1: variant"),
    ("wrong_type", round_(rules=2023), "line 1: rules"),
    ("wrong_type", round_(bets={}), "line 1: bets"),
    # Not an outcome.
    ("wrong_type", round_(outcome="17"), "line 1: outcome"),
    ("wrong_type", round_(outcome={"pocket": 17}), "line 1: outcome.pocket"),
    ("wrong_type", round_(outcome={"pocket": 0}), "line 1: outcome.pocket"),
    ("unknown_pocket", round_(outcome={"pocket": "37"}), "line 1: outcome.pocket"),
    ("unknown_pocket", round_(outcome={"pocket": "07"}), "line 1: outcome.pocket"),
    ("unknown_pocket", round_(outcome={"pocket": "00"}), "line 1: outcome.pocket"),
    ("unknown_pocket", round_(outcome={"pocket": "\uff17"}), "line 1: outcome.pocket"),
    ("outcome_not_one", round_(outcome={}), "line 1: outcome"),
    ("outcome_not_one", round_(outcome={"pocket": None}), "line 1: outcome"),
    ("outcome_not_one", round_(outcome={"pocket": "1", "void": "tilt"}), "line 1: outcome"),
    ("wrong_type", round_(outcome={"void": True}), "line 1: outcome.void"),
    ("invalid_text", round_(outcome={"void": ""}), "line 1: outcome.void"),
    ("unknown_field", round_(outcome={"pocket": "1", "number": "1"}), "line 1: outcome"),
]
BET_ERRORS = [
    ("wrong_type", 7, ""),
    ("missing_field", bet(id=...), ".id"),
    ("missing_field", bet(bet=...), ".bet"),
    ("missing_field", bet(stake=...), ".stake"),
    ("unknown_field", bet(amount=5), ""),
    ("wrong_type", bet(id=1), ".id"),
    ("wrong_type", bet(player=1), ".player"),
    ("invalid_text", bet(id=""), ".id"),
    ("invalid_text", bet(id="x" * 201), ".id"),
    ("invalid_text", bet(id="\ud800"), ".id"),
    ("wrong_type", bet(stake="500"), ".stake"),
    ("wrong_type", bet(stake=500.0), ".stake"),
    ("wrong_type", bet(stake=1e300), ".stake"),
    ("wrong_type", bet(stake=True), ".stake"),
    ("stake_out_of_range", bet(stake=0), ".stake"),
    ("stake_out_of_range", bet(stake=-500), ".stake"),
    ("stake_out_of_range", bet(stake=10**12 + 1), ".stake"),
    ("stake_out_of_range", bet(stake=10**4000), ".stake"),
    ("unknown_bet", bet(bet="reds"), ".bet"),
    ("wrong_type", bet(bet=["red"]), ".bet"),
    ("bet_not_offered", bet(bet="top_line"), ".bet"),
    ("numbers_missing", bet(bet="split"), ".numbers"),
    ("wrong_count", bet(bet="split", numbers=["1"]), ".numbers"),
    ("wrong_type", bet(bet="split", numbers="0 1"), ".numbers"),
    ("wrong_type", bet(bet="split", numbers=[0, 1]), ".numbers[0]"),
    ("wrong_type", bet(bet="split", numbers=["0", ["1"]]), ".numbers[1]"),
    ("unknown_number", bet(bet="split", numbers=["0", "00"]), ".numbers[1]"),
    ("duplicate_number", bet(bet="split", numbers=["1", "1"]), ".numbers[1]"),
    ("not_on_layout", bet(bet="split", numbers=["1", "3"]), ".numbers"),
    ("numbers_mismatch", bet(bet="dozen", index=2, numbers=[*map(str, range(1, 13))]), ".numbers"),
    ("unexpected_index", bet(bet="split", index=1), ".index"),
    ("index_out_of_range", bet(bet="dozen", index=4), ".index"),
    ("wrong_type", bet(bet="dozen", index="1"), ".index"),
    ("wrong_type", bet(bet="dozen", index=1.0), ".index"),
    ("unknown_choice", bet(choice="half|prison"), ".choice"),
    ("unknown_state", bet(state="prison"), ".state"),
    ("wrong_type", bet(state=1), ".state"),
    ("state_not_possible", bet(bet="dozen", index=1, state="prison1"), ".state"),
]
TABLE_ERRORS = [
    ("wrong_type", 500, {}, "table"),
    ("missing_field", {}, {}, "table.minimum"),
    ("unknown_field", {"minimum": 500, "max": 1}, {}, "table"),
    ("wrong_type", {"minimum": 5.0}, {}, "table.minimum"),
    ("limits_invalid", {"minimum": 0}, {}, "table.minimum"),
    ("unknown_field", {"minimum": 500, "maximum": {"7": 500}}, {}, "table.maximum"),
    ("wrong_type", {"minimum": 500, "maximum": {"1": "5"}}, {}, "table.maximum.1"),
    ("limits_invalid", {"minimum": 500, "maximum": {"1": 1}}, {}, "table.maximum.1"),
    ("limits_invalid", {"minimum": 500, "not_offered": ["red"]}, {}, "table.not_offered[0]"),
    ("missing_field", {"minimum": 500}, {"player": ...}, "bets[0].player"),
    ("below_minimum", {"minimum": 500}, {"stake": 400}, "bets[0].stake"),
    ("not_a_multiple", {"minimum": 500}, {"stake": 600}, "bets[0].stake"),
    ("above_maximum", {"minimum": 500}, {"stake": 1_000_500}, "bets[0].stake"),
    ("stake_not_divisible", {"minimum": 250}, {"stake": 250}, "bets[0].stake"),
    ("not_a_multiple", {"minimum": 500}, {"stake": 999}, "bets[0].stake"),
    ("below_minimum", {"minimum": 500}, {"stake": 499}, "bets[0].stake"),
    ("bet_not_offered", {"minimum": 500, "not_offered": ["even_chance"]}, {}, "bets[0].bet"),
]


def begin_of(value):
    """Return what names a case; the text of a line of a million bytes is not made for it."""
    return str(value[:40] if isinstance(value, bytes) else value)[:30]


def check_error(raw, code, where):
    problem = error(raw)
    assert (problem["code"], problem["where"]) == (code, where)
    what, _, remedy = problem["message"].partition(". Next: ")
    assert what
    assert remedy
    assert len(problem["message"]) < 600


@pytest.mark.parametrize(("code", "raw", "where"), ERRORS, ids=begin_of)
def test_what_is_no_round_is_an_error(code, raw, where):
    """Each bad line is answered with its code, its place and what to do next."""
    check_error(raw, code, where)


@pytest.mark.parametrize(("code", "wrong", "where"), BET_ERRORS, ids=begin_of)
def test_what_is_no_bet_is_an_error(code, wrong, where):
    """A bad bet is named by its place, even behind good ones."""
    check_error(round_(bets=[bet(id="0"), wrong]), code, f"line 1: bets[1]{where}")


@pytest.mark.parametrize(("code", "table", "change", "where"), TABLE_ERRORS, ids=begin_of)
def test_what_a_table_does_not_take_is_an_error(code, table, change, where):
    """With a table, limits are checked, and bets as at placement."""
    check_error(round_(bets=[bet(**change)], table=table), code, f"line 1: {where}")


def test_two_bets_of_one_id():
    """A bet id names one bet of its round."""
    problem = error(round_(bets=[bet(), bet(id="2"), bet()]))
    assert (problem["code"], problem["where"]) == ("duplicate_id", "line 1: bets[2].id")


def test_a_part_of_a_cent():
    """READING-2: half of an odd stake is refused, in the round where it would happen."""
    problem = error(round_(bets=[bet(stake=501)], outcome={"pocket": "0"}))
    assert (problem["code"], problem["where"]) == ("not_whole_cents", "line 1: bets[0].stake")
    [answer], code = answers(round_(bets=[bet(stake=501)]))
    assert code == 0
    assert answer["settlements"][0]["win"] == 501


def test_a_table_lets_good_bets_pass_and_does_not_measure_imprisoned_ones():
    """Within the limits nothing changes; half a stake en prison is no new bet."""
    bets = [bet(), bet(id="2", stake=250, state="prison2")]
    with_table, code = answers(round_(bets=bets, table={"minimum": 500, "maximum": {"18": 500}}))
    without, _ = answers(round_(bets=bets))
    assert code == 0
    assert with_table == without


def test_a_fault_of_the_program_is_said_and_stops_no_line(monkeypatch, caplog):
    """A line that meets a defect is answered as such, exit code 2; the next line is settled."""
    real = json_lines.round_of

    def broken(record):
        if record["rules"] == "broken":
            raise ZeroDivisionError
        return real(record)

    monkeypatch.setattr(json_lines, "round_of", broken)
    replies, code = answers(round_(rules="broken"), b"{", round_())
    assert code == 2
    assert replies[0]["error"]["code"] == "internal_error"
    assert "settlements" in replies[2]
    assert "ZeroDivisionError" in caplog.text


def test_every_code_is_provoked():
    """No error code without a line here that provokes it."""
    elsewhere = {"duplicate_id", "not_whole_cents", "internal_error"}
    # By the tests of the dice games and of the wheels.
    elsewhere |= {"game_not_in_rules", "selection_missing", "selection_unexpected"}
    elsewhere |= {"selection_invalid", "choice_unexpected", "unknown_throw"}
    elsewhere |= {"unknown_stop", "stop_incomplete"}
    # By those of the card games.
    elsewhere |= {"cards_invalid", "deal_incomplete", "deal_not_by_rule", "bet_not_in_round"}
    elsewhere |= {"second_bet"}
    elsewhere |= {"boxes_unclear"}
    # By those of the poker room, and of what the table of a card game records.
    elsewhere |= {"action_not_legal", "needs_ruling"}
    # By the fields of rounds from a device.
    elsewhere |= {"no_result"}
    provoked = {row[0] for row in (*ERRORS, *BET_ERRORS, *TABLE_ERRORS)} | elsewhere
    assert provoked == {code.name for code in json_lines.CODES}
    assert len({code.name for code in json_lines.CODES}) == len(json_lines.CODES)


def test_a_key_twice_among_very_many_is_found():
    """The last of 400,000: to look each up among those before it would take hours."""
    names = ",".join(f'"{number}":0' for number in range(400_000))
    [reply], code = answers(f'{{{names},"17":0}}'.encode())
    assert (reply["error"]["code"], code) == ("duplicate_key", 1)
    assert "key '17' is given twice" in reply["error"]["message"]
