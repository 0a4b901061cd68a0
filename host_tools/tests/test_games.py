"""The list of games, and facts that exist twice: compared when a game is built, not at a bet."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from host_tools.tests import shadow_rounds
from tabletools import games
from tabletools.evidence.tables import Terms
from tabletools.games import sic_bo
from tabletools.rules.game import MismatchError, PrintedTable
from tabletools.rules.selection import NOTHING
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record
from tabletools.table.game_rounds import SlipGame
from tabletools.table.slips import SLIP_FIELDS, StoredBet, slip_text

GAME = sic_bo.GAMES["hc2011"]


def odd(_prices, _on, throw):
    return sum(throw) % 2


def test_a_kind_without_a_printed_maximum_is_refused_when_the_game_is_built(monkeypatch):
    """Until now every table with limits failed at its first bet: KeyError."""
    monkeypatch.setitem(sic_bo.KINDS, "odd", (odd, NOTHING))
    with pytest.raises(MismatchError) as refused:
        sic_bo.games()
    assert str(refused.value) == (
        "sic_bo, hc2011: bet odd has no row odd in the table of maxima, which has: "
        + " ".join(GAME.rows)
    )
    assert "small" in GAME.rows


def test_a_printed_maximum_without_a_bet_is_refused():
    kinds = {name: kind for name, kind in GAME.kinds.items() if name != "two"}
    with pytest.raises(MismatchError, match=r"^sic_bo, hc2011: rows of maxima of no bet: two$"):
        replace(GAME, kinds=kinds)


def test_a_printed_table_has_the_rows_of_its_game():
    """Each with as many columns as minima."""
    euros = {row: cells for row, cells in GAME.printed.euros.items() if row != "big"}
    with pytest.raises(MismatchError, match=r"4:1\(5\) has other rows than the game: big"):
        replace(GAME, printed=replace(GAME.printed, euros=euros))
    short = {**GAME.printed.euros, "big": (1800,)}
    with pytest.raises(MismatchError, match=r"4:1\(5\) has 5 minima and 1 maxima of big"):
        replace(GAME, printed=replace(GAME.printed, euros=short))
    with pytest.raises(MismatchError, match=r"times of no row: huge"):
        replace(GAME, printed=PrintedTable("4:1(5)", times={"huge": (50,)}))


def test_every_rule_on_limits_is_about_a_bet():
    with pytest.raises(MismatchError, match=r"shared maxima of no bet: huge"):
        replace(GAME, shared={"huge": "4:1(5)"})
    with pytest.raises(MismatchError, match="caps of no row: huge"):
        replace(GAME, caps=lambda _maxima: {"huge": 1})
    with pytest.raises(MismatchError, match="bounds of no row: huge"):
        replace(GAME, bounds=lambda _minimum: {"huge": (1, 2)})


def test_a_kind_is_measured_by_its_row_whatever_the_selection():
    """One total of fourteen without a row is enough."""
    total = GAME.kinds["total"]
    broken = replace(total, row=lambda on: "total_4_17" if on == (4,) else "total_x")
    with pytest.raises(MismatchError, match=r"bet total has no row total_x"):
        replace(GAME, kinds={**GAME.kinds, "total": broken})


def test_the_facts_of_a_game_are_of_its_bets():
    """Editions under their own name, a bet placed later that exists, schemas of bets it has."""
    with pytest.raises(MismatchError, match=r"^barbut, hc2011: its bets are those of sic_bo, hc"):
        replace(sic_bo.GAME, name="barbut")
    with pytest.raises(MismatchError, match=r"^sic_bo: placed_later is no bet: extra$"):
        replace(sic_bo.GAME, placed_later="extra")
    with pytest.raises(MismatchError, match=r"^sic_bo: on_schemas of no bet: extra$"):
        replace(sic_bo.GAME, on_schemas={"extra": {}})
    with pytest.raises(MismatchError, match=r"^sic_bo: needed_limit is no field: price$"):
        games.verify_facts({"sic_bo": replace(sic_bo.GAME, needed_limit="price")})
    keno = games.GAMES["keno"]
    with pytest.raises(MismatchError, match=r"^keno: measured by the slip, and it has no offer$"):
        games.verify_facts({"keno": replace(keno, measured="slip")})


def test_what_the_ledger_asks_of_the_games():
    """The lists that the ledger had by hand, before each game stated its own facts."""
    assert {
        "roulette",
        "big_wheel",
        "money_wheel",
        "sic_bo",
        "rocket7",
        "diceball",
        "barbut",
        "punto_banco",
    } <= games.BY_SLIP
    by_player = {"baccarat", "blackjack", "keno", "bingo", "jackpot", "poker_room"}
    assert games.BY_SLIP | by_player == games.BY_PLAYER
    assert games.LATER == {"red_dog": "extra"}
    assert games.NEEDED == {"jackpot": "price", "poker_room": "minimum"}
    assert {"punto_banco", "baccarat", "high_low", "red_dog"} == games.SHARED


@pytest.mark.parametrize("name", sorted(games.BY_SLIP))
def test_a_bet_of_a_game_measured_by_the_slip_is_settled_without_the_others(name):
    """Alone as among all bets of its round."""
    random = Random(f"alone {name}")
    for make in shadow_rounds.BY_GAME[name] * 100:
        record = make(random)
        for other in ("calls", "chips"):
            record.pop(other, None)  # stand for several bets
        try:
            together = settle_record(record)
        except RuleViolation:
            continue  # a share of a cent
        alone = [settle_record({**record, "bets": [bet]}) for bet in record["bets"]]
        assert together == [line for lines in alone for line in lines]


_LIMITS = ("minimum", "maximum", "not_offered", "special_minimum", "call_bets")


@pytest.mark.parametrize("name", sorted(games.BY_SLIP))
def test_a_bet_that_was_compiled_before_is_settled_like_its_whole_round(name):
    """One game by slip for all rounds of the same terms, its bets compiled in another order."""
    random = Random(f"compiled {name}")
    known: dict[str, SlipGame] = {}
    for make in shadow_rounds.BY_GAME[name] * 100:
        record = make(random)
        for other in ("calls", "chips"):
            record.pop(other, None)
        options = {key: v for key, v in (record.get("table") or {}).items() if key not in _LIMITS}
        terms = Terms(name, record["rules"], record.get("variant"), {}, options)
        game = known.setdefault(json.dumps(terms), SlipGame(terms))
        bets = [
            StoredBet(number, 7, slip_text(slip_of(bet)), bet["stake"], bet.get("state"))
            for number, bet in enumerate(record["bets"])
        ]
        for bet in random.sample(bets, len(bets) // 2):
            game.chance(bet.slip)
        fields = [{**bet, "id": str(number)} for number, bet in enumerate(record["bets"])]
        whole = {**record, "bets": fields, "table": options or None}
        assert _result(game.settle, bets, record["outcome"]) == _result(settle_record, whole)
    result = {key: v for key, v in record["outcome"].items() if key != "void"}
    for broken in (
        {},
        {"void": 5},
        {"x": 1},
        {"void": "late", **result},
        dict.fromkeys(result, "?"),
    ):
        refused = _result(settle_record, {**whole, "outcome": broken})
        assert isinstance(refused, tuple) or "void" in broken
        assert _result(game.settle, bets, broken) == refused


def _result(settle, *record):
    """The lines, or why there are none."""
    try:
        return settle(*record)
    except RuleViolation as refusal:
        return refusal.code, refusal.what, refusal.where


def slip_of(bet):
    """The fields of a bet that a ledger stores as its slip."""
    return {key: value for key, value in bet.items() if key in SLIP_FIELDS}


def test_a_table_with_limits_still_accepts_every_sic_bo_bet():
    """The printed maxima of 2011 cover all kinds."""
    for number, (name, kind) in enumerate(GAME.kinds.items()):
        on = next(iter(kind.selections.all))
        bet = {"id": str(number), "player": "p", "bet": name, "on": list(on), "stake": 200}
        record = {
            "rules": "hc2011",
            "game": "sic_bo",
            "bets": [bet],
            "outcome": {"void": "x"},
            "table": {"minimum": 200},
        }
        assert settle_record(record)[0].outcome == "stand"


def test_the_list_is_complete():
    """Every module of the package is a game of the list, under its own name."""
    folder = Path(games.__file__).parent
    modules = {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    assert set(games.GAMES) == modules
    for name, game in games.GAMES.items():
        assert game.name == name
