"""`tabletool config` and `clear-fault` against the shipped firmware on the VM, in virtual time."""

import json
from contextlib import contextmanager

import pytest

from hil_tests.board_port import BoardTime, linked
from hil_tests.compiled_boards import compiled_program
from host_tools.tests.test_collect_file import BROKEN, contents
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablespec.provisioning import configuration
from tabletools.cli import collect, table_client
from tabletools.cli.main import run
from tabletools.errors import UNREACHABLE, UNSUITABLE, USER, ToolError
from tablewire.settings import COUNT, factory
from tablewire.slots import CONFIGURATION, pack_slot

BENCH = "the bench"


@contextmanager
def at_bench(monkeypatch, files=None, **keys):
    """A controller that every command reaches in virtual time, whatever its port is called."""
    flash = dict.fromkeys(CONFIGURATION_FILES, configuration(**keys))
    with WasmBoard(files or compiled_program(), flash=flash) as board:
        board.boot()
        for command in (table_client, collect):
            monkeypatch.setattr(command, "Link", linked(board))
        monkeypatch.setattr(collect, "time", BoardTime(board))
        yield


def test_a_key_that_older_firmware_lacks_has_its_factory_value(monkeypatch, capsys):
    """A table of wire 1.0, with 85 keys, is one with two rim sensors. It refuses to have three."""
    files = dict(program())
    place = "/tablewire/config.py"
    config = files[place]
    begin = config.index(b"    2, 4, 2,\n    60000, 300000, 180000,\n")
    config = config[:begin] + config[config.index(b")\n", begin) :]
    orders = b"    7, 87, 30000,\n    87, 88, 30000,\n"
    assert config.count(orders) == 1
    files[place] = config.replace(orders, b"").replace(b"    94, 54, 50,\n", b"")
    copy = pack_slot(CONFIGURATION, 1, [3, *factory()[2:86]])  # a dice tray, which had one light
    for name in ("/tablelogic/dice_tray/faces.py", "/tabledev/app/sight.py"):
        files[name] = files[name].replace(b"config[words.LIGHTS]", b"0")
        files[name] = files[name].replace(b"config[LIGHTS]", b"0")
    with WasmBoard(files, flash=dict.fromkeys(CONFIGURATION_FILES, copy)) as board:
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        assert run(["config", "get", BENCH, "rim_sensors", "recall_ms"]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert (first.split("  ")[0], second.split("  ")[0]) == (
            "rim_sensors = 2",
            "recall_ms = 30000",
        )
        assert run(["config", "set", BENCH, "rim_sensors=3"]) != 0
        assert "unknown key" in capsys.readouterr().err


@pytest.fixture
def bench(monkeypatch):
    with at_bench(monkeypatch, auto_open=0):
        yield BENCH


def rows(capsys, *words):
    """What a command printed as JSON."""
    capsys.readouterr()
    code = run([*words, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_values_by_name(bench, capsys):
    """With unit, range and meaning; all of them without names; an unknown name is refused."""
    assert run(["config", "get", bench, "auto_open", "max_bet_ms"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("auto_open = 0  # 0..1: ")
    assert second.startswith("max_bet_ms = 60000  # ms, 5000..300000: ")
    code, table_rows = rows(capsys, "config", "get", bench)
    assert (code, len(table_rows)) == (0, COUNT)
    assert table_rows[0] == {
        "key": "role",
        "value": 1,
        "unit": "",
        "low": 1,
        "high": 6,
        "factory": 1,
    }
    assert run(["config", "get", bench, "max_bet"]) == USER
    assert "did you mean max_bet_ms" in capsys.readouterr().err


def test_a_table_is_made_as_its_file_says(bench, tmp_path, capsys):
    """Dump, change, diff, set what differs in an order the table takes, diff again."""
    file = tmp_path / "table.toml"
    assert run(["config", "dump", bench, "--out", str(file)]) == 0
    assert run(["config", "check", str(file)]) == 0
    assert run(["config", "diff", bench, str(file)]) == 0
    text = file.read_text().replace("rotor_min_drpm = 60", "rotor_min_drpm = 350")
    file.write_text(text.replace("rotor_max_drpm = 300", "rotor_max_drpm = 400"))
    code, table_rows = rows(capsys, "config", "diff", bench, str(file))
    expected = [("rotor_max_drpm", 300, 400), ("rotor_min_drpm", 60, 350)]
    assert [(row["key"], row["table"], row["file"]) for row in table_rows] == expected
    assert code == 1
    assert run(["config", "set", bench, str(file), "--dry-run"]) == 0
    assert run(["config", "diff", bench, str(file)]) == 1
    capsys.readouterr()
    assert run(["config", "set", bench, str(file)]) == 0
    out = capsys.readouterr().out
    assert "rotor_max_drpm: 300 -> 400" in out
    assert "rotor_min_drpm = 350, was 60" in out
    assert run(["config", "diff", bench, str(file)]) == 0
    assert run(["config", "set", bench, str(file)]) == 0
    assert "nothing to change" in capsys.readouterr().out


def test_what_may_not_be_is_refused_before_it_is_sent(bench, capsys):
    """Out of range, or against the value the table has: with limits and the key in the way."""
    assert run(["config", "set", bench, "min_circuits=20000"]) == USER
    assert "min_circuits = 20000 is out of range" in capsys.readouterr().err
    assert run(["config", "set", bench, "rotor_min_drpm=300"]) == USER
    err = capsys.readouterr().err
    assert "rotor_min_drpm = 300 contradicts rotor_max_drpm = 300" in err
    assert "at most 299" in err
    assert run(["config", "set", bench, "min_circuits=4", "--by", "me"]) == USER
    assert "--db and --by go together" in capsys.readouterr().err
    for name, why in (("A\x1b[31m", "cannot be shown"), ("a" * 61, "61 characters")):
        assert (
            run(["config", "set", bench, "min_circuits=4", "--db", "t.db", "--by", name]) == USER
        )
        assert why in capsys.readouterr().err


def program_of(board):
    """The program on a board that reports this name."""
    files = program()
    data = files["/board.py"].replace(b'BOARD = "emulated"', b'BOARD = "%s"' % board.encode())
    assert data != files["/board.py"]
    return files | {"/board.py": data}


@pytest.fixture
def soft_shoe(monkeypatch):
    """A card shoe on a board with soft interrupts."""
    with at_bench(monkeypatch, program_of("esp32_s3"), auto_open=0, role=6):
        yield BENCH


def role_of_table(capsys):
    _, table_rows = rows(capsys, "config", "get", BENCH, "role")
    return table_rows[0]["value"]


@pytest.mark.parametrize(
    ("number", "name", "why"),
    [
        (1, "roulette", "7 to 16, 6 to 36 and 71 to 98 of 100 healthy spins"),
        (2, "money_wheel", "16, 96 and 100 of 100 healthy turns"),
        (3, "dice_tray", "it has no camera driver"),
        (4, "shuffler", "1, 12 and 94 of 100 healthy shuffles"),
    ],
)
def test_a_role_that_does_not_run_on_the_board_is_not_set(soft_shoe, capsys, number, name, why):
    """As `flash` refuses it: its figures and exit code; nothing is set, not even beside it."""
    for more in ([], ["--dry-run"]):
        words = ["config", "set", soft_shoe, f"role={number}", "max_bet_ms=50000", *more]
        assert run(words) == UNSUITABLE
        error = capsys.readouterr().err
        assert f"a ESP32-S3-DevKitC-1 does not run the role {name}" in error
        assert why in error
        assert "(board esp32_s3, as the table reports, roles of this board: draw_" in error
        assert "next step: take another board: rpi_pico" in error
    assert role_of_table(capsys) == 6
    _, table_rows = rows(capsys, "config", "get", soft_shoe, "max_bet_ms")
    assert table_rows[0]["value"] == 60000


def test_neither_a_file_nor_the_factory_sets_such_a_role(soft_shoe, tmp_path, capsys):
    """The factory's is roulette. A role that runs there is set, by a file too."""
    file = tmp_path / "table.toml"
    assert run(["config", "dump", soft_shoe, "--out", str(file)]) == 0
    text = file.read_text()
    file.write_text(text.replace("role = 6", "role = 1"))
    for words in (["set", soft_shoe, str(file)], ["factory", soft_shoe]):
        assert run(["config", *words]) == UNSUITABLE
        assert "does not run the role roulette" in capsys.readouterr().err
    assert role_of_table(capsys) == 6
    file.write_text(text.replace("role = 6", "role = 5"))
    assert run(["config", "set", soft_shoe, str(file)]) == 0
    assert role_of_table(capsys) == 5


def test_other_values_of_a_table_that_is_on_such_a_board_are_set(monkeypatch, capsys):
    """It may need one to be taken out of play."""
    with at_bench(monkeypatch, program_of("esp32_s3"), auto_open=0, role=1):
        assert run(["config", "set", BENCH, "max_bet_ms=50000"]) == 0
        assert run(["config", "set", BENCH, "role=6"]) == 0
        assert role_of_table(capsys) == 6


def test_a_role_on_a_board_that_is_not_known_here_is_set_with_a_warning(monkeypatch, capsys):
    """No file of the board says what runs there."""
    with at_bench(monkeypatch, program_of("own_board"), auto_open=0):
        assert run(["config", "set", BENCH, "role=2"]) == 0
        output = capsys.readouterr().out
        assert "warning: no file here describes the board own_board" in output
        assert "role = 2, was 1" in output
        assert run(["config", "set", BENCH, "max_bet_ms=50000"]) == 0
        assert "warning" not in capsys.readouterr().out


def test_who_changed_what_is_kept_and_found(bench, tmp_path, capsys):
    """The order with its author, the record of the table, the values in force for a round."""
    place = str(tmp_path / "t.db")
    author = ["--db", place, "--by", "A. Engel"]
    assert run(["config", "set", bench, "min_circuits=4", "wheel=2", *author]) == 0
    assert run(["collect", bench, "--db", place, "--for", "10"]) == 0
    _, table_rows = rows(capsys, "evidence", place, "--changes")
    changes = [(r["key"], r["previous"], r["value"], r["author"]) for r in table_rows[-2:]]
    assert changes == [("wheel", 1, 2, "A. Engel"), ("min_circuits", 7, 4, "A. Engel")]
    assert run(["evidence", place, "--changes"]) == 0
    assert "min_circuits = 4, was 7, by command (A. Engel)" in capsys.readouterr().out
    assert run(["config", "factory", bench, *author]) == 0
    assert "3 values set back" in capsys.readouterr().out
    _, table_rows = rows(capsys, "config", "get", bench, "wheel", "min_circuits")
    assert [row["value"] for row in table_rows] == [1, 7]


def test_nothing_is_changed_that_cannot_be_kept(bench, tmp_path, capsys):
    """With a file that is no database no order is sent, and the file is unchanged."""
    assert run(["config", "set", bench, "min_circuits=4"]) == 0
    places = [tmp_path / "no folder" / "t.db"]
    for spoil in BROKEN:
        places.append(tmp_path / spoil.__name__)
        spoil(places[-1])
    before = contents(tmp_path)
    for place in places:
        for words in (["set", bench, "min_circuits=5"], ["factory", bench]):
            assert run(["config", *words, "--db", str(place), "--by", "A. Engel"]) == USER
            assert capsys.readouterr().err.startswith("tabletool: error: th")
    assert contents(tmp_path) == before
    _, table_rows = rows(capsys, "config", "get", bench, "min_circuits")
    assert table_rows[0]["value"] == 4


def test_a_fault_is_cleared_by_command(bench, capsys):
    """Only after what it means was read; one that does not stand is refused by the table."""
    assert run(["clear-fault", bench, "memory_damaged"]) == USER
    captured = capsys.readouterr()
    assert "remedy:" in captured.out
    assert "confirmation needed, but standard input is not a terminal" in captured.err
    assert run(["clear-fault", bench, "505", "--yes"]) == USER
    assert "refused clear_fault: 505 is not active" in capsys.readouterr().err
    assert run(["clear-fault", bench, "short_spin", "--yes"]) == USER
    assert "is not a fault that can be active" in capsys.readouterr().err


def test_a_shoe_is_declared_by_command(monkeypatch, capsys):
    """A whole deck is accepted, one card less is not; without a terminal no question is asked."""
    with at_bench(monkeypatch, role=6, decks=8):
        assert run(["load-shoe", BENCH, "416"]) == USER
        assert (
            "confirmation needed, but standard input is not a terminal" in capsys.readouterr().err
        )
        assert run(["load-shoe", BENCH, "415", "--yes"]) == USER
        assert "931 shoe_short raised, measured 415" in capsys.readouterr().err
        assert run(["load-shoe", BENCH, "416", "--burns", "3", "--yes"]) == 0
        assert "shoe new: 8 decks, 0 of 416 cards drawn, 3 to be" in capsys.readouterr().out


def test_a_table_that_is_not_there(capsys):
    """Exit code 3."""
    assert run(["config", "get", "socket://127.0.0.1:9"]) == UNREACHABLE
    assert "nothing listens there" in capsys.readouterr().err


def test_a_refusal_without_a_range_shows_none():
    """The numbers of these refusals are no limits: "505 given, 505..508" would mislead."""
    record = {"type": "refusal", "value": 1, "low": 1, "high": 1, "contradicts": None}
    record["command_counter"] = 7
    for command, cause, what in (
        ("load_shoe", "not_understood", "the table does not know the command load_shoe"),
        ("clear_fault", "out_of_range", "the table refused clear_fault: 1 is not active"),
    ):
        with pytest.raises(ToolError, match=what) as refused:
            table_client.accepted(record | {"command": command, "cause": cause})
        assert "1..1" not in "\n".join(refused.value.lines())
        assert refused.value.step
