"""The settings of a user stand in for a port, keys and a ledger; the shell completes commands."""

import os
import subprocess
import sys

import pytest

from tabletools.cli.main import main, run
from tabletools.cli.user_settings import VARIABLE, settings_file, user_settings
from tabletools.errors import ToolError
from tabletools.keys import Keyring, new_key
from tabletools.store import Store


@pytest.fixture
def settings(tmp_path, monkeypatch):
    file = tmp_path / "tabletool.toml"
    monkeypatch.setenv(VARIABLE, str(file))
    return file


def test_the_file_is_that_of_the_user(monkeypatch, tmp_path):
    """By the variable, by XDG_CONFIG_HOME, below the home."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert settings_file() == tmp_path / ".config/tablewire/tabletool.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "other"))
    assert settings_file() == tmp_path / "other/tablewire/tabletool.toml"
    assert user_settings() == {}


def test_they_stand_in_for_what_is_not_named(settings, tmp_path, capsys):
    """A port, a keyring, a ledger; what is named on the line counts more."""
    place, ring = tmp_path / "pit.ledger", tmp_path / "keys.json"
    Store.open(str(place)).close()
    Keyring(ring).add(7, new_key(1))
    settings.write_text(f'port = "/nowhere"\nkeys = "{ring}"\nledger = "{place}"\n')
    assert run(["keys", "list"]) == 0
    assert "device 7" in capsys.readouterr().out
    assert run(["config", "get"]) == 3
    assert "(/nowhere" in capsys.readouterr().err
    assert run(["config", "get", "/elsewhere"]) == 3
    assert "(/elsewhere" in capsys.readouterr().err
    assert run(["ledger", "verify"]) == 0
    assert run(["users", "add", "Sue", "--role", "dealer"]) == 0
    capsys.readouterr()
    assert run(["users", "list", "--db", str(place)]) == 0
    assert capsys.readouterr().out == "1 Sue: dealer\n"
    assert run(["keys", "list", "--keys", str(tmp_path / "none.json")]) == 1


def test_an_option_for_the_ledger_is_one_beside_others(settings, tmp_path, capsys):
    """`wheelline` and `feed` take the ledger; the `--db` of an estate is another database."""
    place = tmp_path / "pit.ledger"
    Store.open(str(place)).close()
    settings.write_text(f'ledger = "{place}"\n')
    assert run(["wheelline", "out", "--table", "9", "--listen", "127.0.0.1:0"]) == 1
    assert "no table 9" in capsys.readouterr().err
    assert run(["wheelline", "in", "--dialect", "ss2", "--table", "9"]) == 1
    assert "PORT is missing" in capsys.readouterr().err
    assert run(["feed", "--file", str(tmp_path / "events.jsonl"), "--once"]) == 0
    for words in (["consume", "--mqtt", "mqtt://none"], ["estate", "where", "Sue"]):
        assert run(words) == 1
        assert "--db is missing" in capsys.readouterr().err


def test_settings_that_are_no_text(settings):
    """Said in our words."""
    settings.write_bytes(b"\xff\xfe")
    with pytest.raises(ToolError, match="cannot read the settings: not UTF-8"):
        user_settings()


def test_a_port_that_an_argument_follows_has_to_be_named(settings, capsys):
    """`config diff FILE` would take the file for the port."""
    settings.write_text('port = "/nowhere"\n')
    assert run(["config", "diff", "table.toml"]) == 1
    assert "FILE is missing" in capsys.readouterr().err


def test_a_flashed_port_is_never_a_default(settings, capsys):
    """The prompt of a board is another port than the link."""
    settings.write_text('port = "/nowhere"\n')
    assert run(["flash", "--board", "rpi_pico2", "--role", "roulette"]) == 1
    assert "--port is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "what"),
    [("prt = 'x'\n", "prt = 'x'"), ("port = 7\n", "port = 7"), ("port =\n", "cannot read")],
)
def test_a_wrong_file_is_refused(settings, text, what):
    """With its place and the settings that there are."""
    settings.write_text(text)
    with pytest.raises(ToolError, match=what) as refusal:
        user_settings()
    assert refusal.value.where == str(settings)


def test_the_shell_completes_commands_and_options():
    """By the script that --install-completion gives it, without an import of a command."""
    for words, at, expected in (
        ("tabletool de", "1", {"demo", "decode"}),
        ("tabletool decode --no", "2", {"--no-heartbeats"}),
    ):
        asked = {"_TABLETOOL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": at}
        command = [sys.executable, "-c", f"from {main.__module__} import main; main()"]
        done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True)
        assert set(done.stdout.split()) == expected
