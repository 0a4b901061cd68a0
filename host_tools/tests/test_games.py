"""The list of games, and facts that exist twice: compared when a game is built, not at a bet."""

from dataclasses import replace

import pytest

from tabletools import games
from tabletools.games import sic_bo
from tabletools.rules.game import MismatchError, PrintedTable
from tabletools.rules.selection import NOTHING
from tabletools.settle.json_lines import settle_record

GAME = sic_bo.GAMES["hc2011"]


def odd(_prices, _on, throw):
    return sum(throw) % 2


def test_a_kind_without_a_printed_maximum_is_refused_when_the_game_is_built(monkeypatch):
    """Until now every table with limits failed at its first bet: KeyError."""
    monkeypatch.setitem(sic_bo.KINDS, "odd", (odd, NOTHING))
    with pytest.raises(MismatchError) as refused:
        sic_bo.games()
    assert str(refused.value) == (
        "sic_bo, hc2011: bet odd has the maximum odd, and the rows of maxima have none: small big "
        "single two double any_triple specific_triple total_4_17 total_5_16 total_6_15 "
        "total_7_14 total_8_13 total_9_12 total_10_11"
    )


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


def test_what_is_shared_by_a_box_is_a_bet():
    with pytest.raises(MismatchError, match=r"shared maxima of no bet: huge"):
        replace(GAME, shared={"huge": "4:1(5)"})


def test_a_kind_is_measured_by_its_row_whatever_the_selection():
    """One total of fourteen without a row is enough."""
    total = GAME.kinds["total"]
    broken = replace(total, row=lambda on: "total_4_17" if on == (4,) else "total_x")
    with pytest.raises(MismatchError, match=r"bet total has the maximum total_x"):
        replace(GAME, kinds={**GAME.kinds, "total": broken})


def test_a_game_that_states_more_dice_than_its_tray_is_refused():
    with pytest.raises(MismatchError, match=r"'sic_bo': 4.*'sic_bo': 3"):
        games.verify_machines(
            {**games.GAMES, "sic_bo": replace(sic_bo.GAME, dice=4)}, games.dice_tray.DICE
        )


def test_a_table_with_limits_still_accepts_every_sic_bo_bet():
    """The printed maxima of 2011 cover all kinds."""
    for number, (name, kind) in enumerate(GAME.kinds.items()):
        on = next(iter(kind.selections.all))
        bet = {"id": str(number), "player": "p", "bet": name, "on": list(on), "stake": 200}
        record = {
            "rules": "hc2011", "game": "sic_bo", "bets": [bet], "outcome": {"void": "x"},
            "table": {"minimum": 200},
        }  # fmt: skip
        assert settle_record(record)[0].outcome == "stand"


def test_the_list_is_complete():
    """Every module of the package is a game of the list, under its own name."""
    from pathlib import Path

    folder = Path(games.__file__).parent
    modules = {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    assert set(games.GAMES) == modules
    for name, game in games.GAMES.items():
        assert game.name == name
        assert (kind := getattr(game, "games", {})) is not None
        assert {each.name for each in kind.values()} <= {name}
