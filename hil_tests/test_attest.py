"""`tabletool attest` against an emulated table: a match, a changed byte, locked, cleared."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil_tests.controller import CONFIGURATION_FILES, KEY_FILES, key_copy, program
from hil_tests.rigs.wasm import WasmBoard
from tabletools.cli import talk
from tabletools.cli.emulate.key import SERIAL
from tabletools.cli.main import run
from tabletools.keys import Key, Keyring
from tabletools.link import Link
from tablewire import slots

ROOT = Path(__file__).resolve().parents[1]
STEP_US = 20_000


class BoardPort:
    """A board as the port of a link: each read lets virtual time pass."""

    def __init__(self, board: WasmBoard) -> None:
        self._board = board
        self._out: list[bytes] = []

    def read(self, _size: int, /) -> bytes:
        now = self._board.now_us
        events = [[now, "rx", 0, data.hex()] for data in self._out]
        self._out.clear()
        return self._board.play(events, now + STEP_US).sent

    def write(self, data: bytes, /) -> int:
        self._out.append(data)
        return len(data)

    def close(self) -> None:
        self._out.clear()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A signed manifest of the shipped program in the working folder; the command's words."""
    monkeypatch.chdir(tmp_path)
    package, board = ROOT / "firmware/package.json", ROOT / "boards/emulated/board.py"
    for words in (
        ["keygen", "house"],
        ["make", str(package), "--board", str(board), "--image", "img", "--out", "em.json"],
        ["sign", "em.json", "--key", "house.key"],
    ):
        assert run(["release", *words]) == 0
    return ["attest", "board", "--manifest", "em.json", "--key", "house.pub"]


def serve(monkeypatch: pytest.MonkeyPatch, board: WasmBoard) -> None:
    """Let the command reach this board, without waiting for the wall clock."""

    def link(url: str, session: object) -> Link:
        return Link(url, session, opener=lambda _: BoardPort(board), wait=lambda _: None)  # type: ignore[arg-type]

    monkeypatch.setattr(talk, "Link", link)


def board_with(files: dict[str, bytes]) -> WasmBoard:
    copy = slots.configuration(auto_open=0)
    return WasmBoard(files, flash=dict.fromkeys(CONFIGURATION_FILES, copy))


def test_the_shipped_program_matches(
    house: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0, and after --clear nothing is refused that stands."""
    with board_with(program()) as board:
        board.boot()
        serve(monkeypatch, board)
        assert run(house) == 0
        assert f"{len(program())} files match" in capsys.readouterr().out
        assert run([*house, "--clear"]) == 1
        assert "does fault 508 stand at all?" in capsys.readouterr().err


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
        serve(monkeypatch, board)
        ring, empty = tmp_path / "keys.json", tmp_path / "none.json"
        Keyring(ring).add(SERIAL, key)
        assert run([*house, "--keys", str(ring)]) == 0
        assert f"{len(program())} files match" in capsys.readouterr().out
        assert run([*house, "--keys", str(empty)]) == 1
        assert f"device {SERIAL} has key 1, and none is here" in capsys.readouterr().err


def test_one_changed_byte_is_named_locked_and_cleared(
    house: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comment of one file: the program runs as before, and is found out."""
    path = "/tablelogic/judge.py"
    files = program()
    changed = {**files, path: files[path].replace(b"The house rules", b"The house Rules", 1)}
    assert changed != files
    with board_with(changed) as board:
        board.boot()
        serve(monkeypatch, board)
        assert run([*house, "--lock"]) == 1
        error = capsys.readouterr().err
        assert f"{path}: changed" in error
        assert "the table is locked (508)" in error
        kept = {name: data for name, data in board.flash.items() if data}
    with board_with(files) as board:
        for name, data in kept.items():
            board.put_flash(name, data)
        board.boot()
        serve(monkeypatch, board)
        assert run([*house, "--clear"]) == 0
        assert "508 firmware_mismatch cleared" in capsys.readouterr().out
