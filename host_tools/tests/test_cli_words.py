"""One voice: what commands say of wrong words, of nothing, of the wrong file; what they filter."""

import json
import resource
import socket
from contextlib import nullcontext

import pytest

from tabletools.cli import serve
from tabletools.cli.main import run
from tabletools.cli.usage_errors import in_our_words
from tabletools.keys import Keyring, new_key
from tabletools.store import Store


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("Missing argument 'FILE'.", "FILE is missing"),
        ("Missing option '--db'.", "--db is missing"),
        ("No such command 'x'.", "no command 'x'"),
        (
            "No such command 'setle'. Did you mean 'settle'?",
            "no command 'setle': did you mean 'settle'?",
        ),
        ("No such option: --decks (Possible options: --csv)", "no option --decks"),
        (
            "No such option: --cvs (Possible options: --csv, --look)",
            "no option --cvs: did you mean --csv?",
        ),
        ("Got unexpected extra argument (b)", "more arguments than it takes: b"),
        ("Got unexpected extra argument(s) (b c)", "more arguments than it takes: b c"),
        ("Option '--out' requires an argument.", "--out needs a value"),
        (
            "Invalid value for '--spins': Input should be greater than or equal to 1",
            "--spins: the least is 1",
        ),
        (
            "Invalid value for '--for': Input should be a valid number, unable to parse string",
            "--for: not a number",
        ),
        ("something new", "something new"),
    ],
)
def test_the_parser_speaks_as_the_program_does(theirs, ours):
    """Lower case, the option first, no library's sentence."""
    assert in_our_words(theirs) == ours


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    file = tmp_path_factory.mktemp("words") / "two.capture"
    words = ["roulette", "--wheel", "single", "--spins", "2", "--seed", "7", "--out", str(file)]
    assert run(["emulate", *words]) == 0
    return file


def decoded(capture, capsys, *words):
    assert run(["decode", str(capture), "--json", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_decode_prints_what_is_wanted(capture, capsys):
    """By type, by round, without heartbeats; together all of them hold."""
    capsys.readouterr()
    every = decoded(capture, capsys)
    assert {record["round"] for record in every} == {0, 1, 2}
    results = decoded(capture, capsys, "--type", "wheel_result")
    assert [record["round"] for record in results] == [1, 2]
    second = decoded(capture, capsys, "--round", "2")
    assert second == [record for record in every if record["round"] == 2]
    quiet = decoded(capture, capsys, "--no-heartbeats")
    assert quiet == [record for record in every if record["type"] != "heartbeat"]
    types = ("--type", "heartbeat", "--type", "wheel_result")
    assert decoded(capture, capsys, *types, "--no-heartbeats", "--round", "1") == results[:1]


def test_decode_says_what_it_left_out(capture, capsys):
    """The count of frames stays that of the file."""
    assert run(["decode", str(capture), "--type", "wheel_result"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("213 frames")
    assert lines[-1] == "211 frames left out"


def test_decode_refuses_an_unknown_type(capture, capsys):
    assert run(["decode", str(capture), "--type", "wheel_results"]) == 1
    assert "no message 'wheel_results': did you mean wheel_result" in capsys.readouterr().err


def test_a_display_of_no_table_is_refused(tmp_path, capsys):
    """An empty ledger has no table 9; that is no defect of the program."""
    place = tmp_path / "pit.ledger"
    Store.open(str(place)).close()
    words = ["--db", str(place), "--table", "9", "--listen", "127.0.0.1:0"]
    assert run(["wheelline", "out", *words]) == 1
    error = capsys.readouterr().err
    assert "there is no table 9" in error
    assert "next step: the ledger has no table yet" in error


def test_restore_names_the_file_that_is_no_backup(tmp_path, capsys):
    """Not the new ledger, which is not made."""
    text, ledger = tmp_path / "text.txt", tmp_path / "new.db"
    text.write_text("no backup\n", encoding="ascii")
    assert run(["ledger", "restore", str(text), str(ledger)]) == 1
    assert f"({text})" in capsys.readouterr().err
    assert not ledger.exists()


def test_nothing_has_a_word(tmp_path, capsys):
    """Of an empty file of rounds, of a keyring without keys."""
    rounds, ring = tmp_path / "none.jsonl", tmp_path / "keys.json"
    rounds.write_bytes(b"")
    assert run(["settle", str(rounds)]) == 0
    assert capsys.readouterr().err == f"no rounds in {rounds}\n"
    Keyring(ring).add(7, new_key(1))
    assert run(["keys", "forget", "7", "--yes", "--keys", str(ring)]) == 0
    capsys.readouterr()
    assert run(["keys", "list", "--keys", str(ring)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "no keys"


def test_an_empty_ledger_has_a_word_for_each_list(tmp_path, capsys):
    """Of rounds, alarms and gaps, of users; as JSON it is nothing; an audit names no table."""
    place = str(tmp_path / "pit.ledger")
    Store.open(place).close()
    for words, said in (
        (["evidence", place], f"no rounds in {place}\n"),
        (["evidence", place, "--alarms", "--gaps"], f"no alarms and no gaps in {place}\n"),
        (["evidence", place, "--json"], ""),
        (["users", "list", "--db", place], "no users: `tabletool users add` makes one\n"),
    ):
        assert run(words) == 0
        assert capsys.readouterr().out == said
    assert run(["audit", "--db", place]) == 1
    error = capsys.readouterr().err
    assert "there is no table and no device" in error
    assert "--table" not in error


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_full_disk_is_that_of_the_new_file(command, tmp_path, capsys):
    """Of a backup and of a restored ledger: not the database that is read, which stays."""
    old, new = tmp_path / "pit.ledger", tmp_path / "new.ledger"
    Store.open(str(old)).close()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))  # as a disk that fills up
    try:
        assert run(["ledger", command, str(old), str(new)]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    error = capsys.readouterr().err
    assert f"({new})" in error
    assert "next step: free space there, or name a file on another disk" in error
    assert not list(tmp_path.glob("new.*"))


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("card_shoe", "1 hand: 1 result,"),
        ("money_wheel", "1 turn: 1 segment,"),
        ("dice", "1 throw: "),
    ],
)
def test_a_round_has_the_noun_of_its_machine(role, words, tmp_path, capsys):
    """A shoe gives results and no numbers."""
    file = tmp_path / "one.capture"
    assert run(["emulate", role, "--spins", "1", "--seed", "7", "--out", str(file)]) == 0
    assert words in capsys.readouterr().out


def test_a_forced_capture_is_replaced_when_it_is_whole(tmp_path, capsys):
    """A disk that fills up in the middle leaves the old file, and nothing beside it."""
    old = tmp_path / "night.capture"
    old.write_text("old\n", encoding="ascii")
    again = ["emulate", "roulette", "--spins", "1", "--force", "--out", str(old)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # as a disk that fills up
    try:
        assert run(again) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    error = capsys.readouterr().err
    assert "cannot write the file: file too large" in error
    assert "next step: free space there, or name a file on another disk" in error
    assert old.read_text(encoding="ascii") == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["night.capture"]
    assert run(again) == 0
    assert old.read_text(encoding="utf-8").startswith("tablewire-capture")


@pytest.mark.parametrize("words", [["--wheel", "single"], ["--wheel", "single", "--json"]])
def test_a_picture_is_replaced_when_it_is_whole(words, tmp_path, capsys):
    """A disk that fills up in the middle leaves the old picture, and nothing beside it."""
    spins, old = tmp_path / "spins.csv", tmp_path / "old.svg"
    spins.write_text("pocket\n" + "".join(f"{k % 37}\n" for k in range(600)), encoding="ascii")
    old.write_text("old\n", encoding="ascii")
    draw = ["audit", "--csv", str(spins), "--plot", str(old), "--force", *words]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # as a disk that fills up
    try:
        assert run(draw) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    error = capsys.readouterr().err
    assert "cannot write the picture: file too large" in error
    assert "free space there, or name a file on another disk" in error
    assert old.read_text(encoding="ascii") == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.svg", "spins.csv"]


@pytest.mark.parametrize("name", ["", " ", "x" * 61])
def test_a_name_that_no_command_could_change_is_not_added(name, tmp_path, capsys):
    """Empty or longer than the other commands of users accept; no ledger is made for it."""
    ledger = tmp_path / "pit.ledger"
    assert run(["users", "add", name, "--role", "dealer", "--db", str(ledger)]) == 1
    assert "a name " in capsys.readouterr().err
    assert not ledger.exists()


def test_serve_shows_that_it_starts(tmp_path, capsys, monkeypatch):
    """Its modules take seconds to load; a port that is in use is reported after that."""
    shown = []
    monkeypatch.setattr(serve, "working", lambda what: shown.append(what) or nullcontext())
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        assert run(["serve", "--db", str(tmp_path / "pit.ledger"), "--port", port]) == 3
    assert shown == ["starting the host"]
    assert "cannot listen" in capsys.readouterr().err


def test_what_the_system_says_is_part_of_a_sentence(tmp_path, capsys):
    """In lower case, of every reader."""
    missing = str(tmp_path / "none")
    for words in (["settle", missing], ["decode", missing], ["audit", "--csv", missing]):
        assert run(words) == 1
        assert "no such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("wheel", ["single", "cards", "keno"])
def test_the_table_of_powers_fits_80_columns(wheel, capsys):
    """A test with its figures, below it the bias that is meant."""
    assert run(["audit", "--power", "--wheel", wheel]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert max(map(len, rows)) <= 80
