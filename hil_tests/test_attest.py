"""`tabletool attest` against an emulated table: a match, a changed byte, locked, cleared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hil_tests.board_port import BoardTime, linked
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, KEY_FILES, key_copy, program
from tablespec import provisioning
from tabletools.cli import collect, table_client
from tabletools.cli.emulate.emulate_command import SERIAL
from tabletools.cli.main import run
from tabletools.keys import Key, Keyring
from tabletools.release import compiled, read_image

ROOT = Path(__file__).resolve().parents[1]


WORDS = ["attest", "board", "--manifest", "em.json", "--key", "house.pub"]


def make_house(*more: str) -> int:
    """Make a signed manifest of the shipped program in the working folder; the exit codes' sum."""
    package, board = ROOT / "mip.json", ROOT / "boards/emulated/board.py"
    command = ["--board", str(board), "--image", "img", "--out", "em.json", *more]
    return sum(
        run(["release", *words])
        for words in (
            ["keygen", "house"],
            ["make", str(package), *command],
            ["sign", "em.json", "--key", "house.key"],
        )
    )


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A signed manifest of the shipped program in the working folder; the command's words."""
    monkeypatch.chdir(tmp_path)
    assert make_house() == 0
    return WORDS


def board_with(files: dict[str, bytes]) -> WasmBoard:
    copy = provisioning.configuration(auto_open=0)
    return WasmBoard(files, flash=dict.fromkeys(CONFIGURATION_FILES, copy))


def test_the_shipped_program_matches(
    house: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0, and after --clear nothing is refused that stands."""
    with board_with(program()) as board:
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        assert run(house) == 0
        assert f"{len(program())} files match" in capsys.readouterr().out
        assert run([*house, "--clear"]) == 1
        assert "the table refused clear_fault: 508 is not active" in capsys.readouterr().err


def test_a_table_with_a_key_answers_under_a_session_only(
    house: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With its key the answer is verified; with none of it nothing is believed: exit code 1."""
    key = Key(1, bytes(range(32)))
    with board_with(program()) as board:
        for name in KEY_FILES:
            board.put_flash(name, key_copy(key.number, key.secret))
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        ring, empty = tmp_path / "keys.json", tmp_path / "none.json"
        empty.touch(mode=0o600)
        empty.write_text("{}")
        Keyring(ring).add(SERIAL, key)
        assert run([*house, "--keys", str(ring)]) == 0
        assert f"{len(program())} files match" in capsys.readouterr().out
        assert run([*house, "--keys", str(empty)]) == 1
        # Which of the two is heard first, its identity or a frame still sealed, is the line's.
        message = f"device {SERIAL} (has key 1, and the keyring has none|authenticates its frames)"
        assert re.search(message, capsys.readouterr().err)


def test_one_changed_byte_is_named_locked_and_cleared(
    house: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comment of one file: the program runs as before, and is found out."""
    path = "/tablelogic/roulette/judge.py"
    files = program()
    changed = {
        **files,
        path: files[path].replace(b"The rules of", b"The Rules of", 1),
    }
    assert changed != files
    with board_with(changed) as board:
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        assert run([*house, "--lock"]) == 1
        error = capsys.readouterr().err
        assert f"{path}: changed" in error
        assert "the table is locked (508)" in error
        flash = {name: data for name, data in board.flash.items() if data}
    with board_with(files) as board:
        for name, data in flash.items():
            board.put_flash(name, data)
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        assert run([*house, "--clear"]) == 0
        assert "508 firmware_mismatch cleared" in capsys.readouterr().out


def test_the_compiled_release_matches_the_board_that_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`release make --compiled` lists what a board with .mpy files holds, and lays it out."""
    monkeypatch.chdir(tmp_path)
    assert make_house("--compiled", "armv7m") == 0
    files = read_image(Path("img"))
    assert files == compiled(program())
    assert sorted(name for name in files if name.endswith(".py")) == [
        "/board.py",
        "/boot.py",
        "/main.py",
    ]
    with board_with(files) as board:
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        assert run(WORDS) == 0
    assert f"{len(files)} files match" in capsys.readouterr().out


def test_a_keyed_table_is_opened_closed_and_locked_under_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """maintenance and lock speak under a session, say what they do, and what was done already."""
    ring = tmp_path / "keys.json"
    secret = bytes(range(32))
    Keyring(ring).add(SERIAL, Key(1, secret))
    copy = provisioning.configuration(auto_open=0, production=1)
    flash = dict.fromkeys(CONFIGURATION_FILES, copy)
    flash |= dict.fromkeys(KEY_FILES, key_copy(1, secret))
    with WasmBoard(program(), flash=flash) as board:
        board.boot()
        monkeypatch.setattr(table_client, "Link", linked(board))
        keys = ["--keys", str(ring)]
        assert run(["maintenance", "board", "open"]) == 1
        assert (
            "confirmation needed, but standard input is not a terminal" in capsys.readouterr().err
        )
        assert run(["maintenance", "board", "open", "--yes"]) == 1
        assert "the keyring has none" in capsys.readouterr().err
        assert run(["maintenance", "board", "open", "--yes", *keys]) == 0
        out = capsys.readouterr().out
        assert "507 maintenance_open" in out
        assert out.endswith("the console is open\n")
        assert run(["maintenance", "board", "close", *keys]) == 0
        assert "the console is closed" in capsys.readouterr().out
        assert run(["lock", "board", "--yes", *keys]) == 0
        assert "508 firmware_mismatch" in capsys.readouterr().out
        assert run(["lock", "board", "--yes", *keys]) == 1
        assert "the table sent no record of it" in capsys.readouterr().err
        assert run(["clear-fault", "board", "508", "--yes", *keys]) == 0


@pytest.mark.waits
def test_collect_attests_by_itself(
    house: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shipped program matches, a changed one is stopped and locked before the command ends."""
    path = "/tablelogic/roulette/judge.py"
    files = program()
    changed = {
        **files,
        path: files[path].replace(b"The rules of", b"The Rules of", 1),
    }
    words = ["collect", "board", "--db", "night.db", "--for", "60", *house[2:]]
    for image, code, message in (
        (files, 0, "has release 1 ("),
        (changed, 1, "its program is not release 1 ("),
    ):
        with board_with(image) as board:
            board.boot()
            monkeypatch.setattr(collect, "Link", linked(board))
            monkeypatch.setattr(collect, "time", BoardTime(board))
            assert run(words) == code
            output = capsys.readouterr()
            assert message in output.out
            board.reset("power")
            monkeypatch.setattr(table_client, "Link", linked(board))
            locked = run(["clear-fault", "board", "508", "--yes"]) == 0
            assert locked == (code == 1)
    capsys.readouterr()
    assert run(["evidence", "night.db", "--attestations"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(": match, release 1 reported, " + f"{len(files)} files")
    assert ": mismatch, release 1 reported" in second
