"""`-v` and `--log-file`: what a run does, on standard error and in a file; never a password."""

import logging
import os

import pytest

from tabletools import explain
from tabletools.cli.main import run


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_run_is_logged_at_any_place_of_the_line(place, tmp_path, capsys):
    """The command and its end; the file has mode 0600, and a second run is added."""
    file, before = tmp_path / "run.log", [*logging.getLogger().handlers]
    for option in (["--log-file", str(file)], [f"--log-file={file}"]):
        words = ["explain", "101"]
        words[place:place] = [*option, "-v"]
        assert run(words) == 0
    shown, kept = capsys.readouterr().err.splitlines(), file.read_text().splitlines()
    assert len(shown) == len(kept) == 4
    assert "tabletool explain 101" in kept[0].replace(f" --log-file {file} -v", "")
    assert " INFO tabletools: ended after " in kept[3]
    assert file.stat().st_mode & 0o777 == 0o600
    assert logging.getLogger().handlers == before


def test_a_password_is_not_logged(tmp_path, capsys):
    """Of a database."""
    file = tmp_path / "run.log"
    words = ["explain", "postgresql://pit:secret@db.example/pit", "--log-file", str(file)]
    assert run(words) == 1
    assert "secret" not in file.read_text()
    assert "postgresql://pit:***@db.example/pit" in file.read_text().splitlines()[0]


def test_the_file_has_the_traceback_of_a_defect(tmp_path, monkeypatch, capsys):
    """Without --debug: the screen has the message, the file what support needs."""
    file = tmp_path / "run.log"

    def fail(_code):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(explain, "find", fail)
    assert run(["explain", "101", "--log-file", str(file)]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert "ZeroDivisionError: of all things" in file.read_text()
    assert '"exit_code": 2' in file.read_text()


@pytest.mark.parametrize("words", [["--log-file"], ["--log-file="], ["--log-file", os.curdir]])
def test_a_log_that_cannot_be_written_is_refused(words, capsys):
    """Before the command runs."""
    assert run(["explain", "101", *words]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "log" in output.err.splitlines()[0]


def test_a_full_disk_costs_lines_of_the_log_and_not_the_command(capsys):
    """Reported once, without a traceback; the command ends as it would."""
    assert run(["explain", "101", "--log-file", "/dev/full"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("101 short_spin")
    assert output.err.splitlines() == [
        "tabletool: warning: cannot write the log: no space left on device (/dev/full)",
        "next step: free space there, or name a file on another disk",
    ]


def test_words_after_two_dashes_are_of_the_command(capsys):
    """A code named -v is no option of the run."""
    assert run(["explain", "--", "-v"]) == 1
    assert "no reason code '-v'" in capsys.readouterr().err
