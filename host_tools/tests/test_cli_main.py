"""The program as a whole: exit codes, messages, help, examples, its reference."""

import os
import re
import shlex
import signal
import subprocess
import sys

import pytest
import typer

from host_tools.tests.command_tree import COMMANDS, LEAVES
from tabletools import explain
from tabletools.cli import main as program
from tabletools.cli import reference
from tabletools.errors import UNREACHABLE, ToolError

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]


def examples(command):
    """The example lines of a command's help."""
    return [line for line in (command.epilog or "").splitlines() if "tabletool" in line]


def test_version(capsys):
    """The version of the distribution, by name."""
    assert program.run(["--version"]) == 0
    assert re.fullmatch(r"tabletool \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_no_command_waits_for_the_libraries_of_another():
    """What takes long to import is imported by the command that needs it."""
    code = (
        "import sys; from tabletools.cli.main import run; run(['dice', '-h']); print(*sys.modules)"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"numpy", "matplotlib", "sqlalchemy", "fastapi", "paho"} & set(loaded)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(arguments, capsys):
    """Without a command the program prints its help."""
    assert program.run(arguments) == 0
    out = capsys.readouterr().out
    for path in LEAVES:
        assert path.split()[1] in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nope"], "no command 'nope' (tabletool)"),
        (["decode"], "FILE is missing (tabletool decode)"),
        (["decode", "x", "--jason"], "no option --jason: did you mean --json? (tabletool decode)"),
        (["monitor", "x", "--for", "soon"], "--for: not a number (tabletool monitor)"),
        (
            ["emulate", "roulette", "--wheel", "triple"],
            "--wheel: 'triple' is not one of 'single', 'double'",
        ),
    ],
)
def test_wrong_use_is_exit_code_1(arguments, what, capsys):
    """One line has the error and its place, the next where to look."""
    assert program.run(arguments) == 1
    error, step = capsys.readouterr().err.splitlines()
    assert error.startswith(f"tabletool: error: {what}")
    assert step.startswith("next step: see `tabletool")


def test_an_error_has_place_limit_cause_and_step(monkeypatch, capsys):
    """The form of every message, and the exit code the error carries."""

    def refuse(code):
        raise ToolError(
            "nobody there",
            where="port 7",
            limit="3 s",
            cause="no power",
            step="switch it on",
            exit_code=UNREACHABLE,
        )

    monkeypatch.setattr(explain, "find", refuse)
    assert program.run(["explain", "101"]) == 3
    assert capsys.readouterr().err.splitlines() == [
        "tabletool: error: nobody there (port 7, 3 s)",
        "likely cause: no power",
        "next step: switch it on",
    ]


def fail(*_):
    raise ZeroDivisionError("of all things")


@pytest.mark.parametrize("place", [0, 2])
def test_a_defect_is_exit_code_2(place, monkeypatch, capsys):
    """The traceback is printed only with --debug, at any place of the command line."""
    monkeypatch.setattr(explain, "find", fail)
    assert program.run(["explain", "101"]) == 2
    quiet = capsys.readouterr().err
    assert quiet.startswith("tabletool: error: internal: ZeroDivisionError: of all things\n")
    assert "Traceback" not in quiet
    words = ["explain", "101"]
    words.insert(place, "--debug")
    assert program.run(words) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_ends_quietly(monkeypatch, capsys):
    """Control-C is no error message."""

    def interrupt(code):
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "find", interrupt)
    assert program.run(["explain", "101"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_that_leaves_ends_it_quietly():
    """`tabletool ... | head`: no traceback, no message."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "explain", "--list"], stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_the_signs_is_served():
    """An encoding that lacks a sign shows ? for it: no defect, no exit code 2."""
    command = [*PROGRAM, "explain", "²"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60)
    assert done.returncode == 1
    assert b"no reason code '?'" in done.stderr


def test_the_reference_is_the_help():
    """docs/CLI.md equals the output of --help; `make gen` writes it."""
    assert reference.FILE.read_text(encoding="utf-8") == reference.document()
    assert reference.main(["--check"]) == 0


def test_a_stale_reference_is_noticed(monkeypatch, tmp_path, capsys):
    """--check names the remedy and writes nothing; without it the file is written."""
    monkeypatch.setattr(reference, "FILE", tmp_path / "CLI.md")
    assert reference.main(["--check"]) == 1
    assert "make gen" in capsys.readouterr().out
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0


@pytest.mark.parametrize("path", [path for path in COMMANDS if path != "tabletool"])
def test_every_command_is_documented_with_an_example(path):
    """Each command has a description and an example, and a section in the reference."""
    command = COMMANDS[path]
    assert command.help
    assert examples(command)
    assert f"## {path}\n" in reference.FILE.read_text(encoding="utf-8")


def example_lines():
    return sorted({line.strip() for command in LEAVES.values() for line in examples(command)})


@pytest.mark.parametrize("line", example_lines())
def test_every_example_is_understood(line):
    """Command and options of each example are parsed as the program would, and accepted."""
    pipeline = re.split(r"\s[|>]\s", line)
    words = shlex.split(next(part for part in pipeline if part.startswith("tabletool")))
    default = {"diag": "table", "dice": "read", "evidence": "list"}.get(words[1])
    if default and " ".join(words[:3]) not in LEAVES:
        words.insert(2, default)  # `diag PORT` is `diag table PORT`
    path = max((p for p in LEAVES if line_starts(words, p)), key=len)
    command = LEAVES[path]
    try:
        command.make_context(path, words[len(path.split()) :])
    except typer.TyperException as error:
        pytest.fail(f"{line}: {error}")


def line_starts(words, path):
    return words[: len(path.split())] == path.split()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("explain 101 >/dev/full", "cannot write the output: no space left on device"),
        ("decode --raw {file} >/dev/full", "cannot write the output: no space left on device"),
        ("explain 101 >&-", "standard output is closed"),
        ("decode - <&-", "there is nothing to decode"),
    ],
)
def test_streams_that_are_full_or_closed(words, said, tmp_path):
    """Exit code 1 and one plain message, which does not blame the input; nothing internal."""
    file = tmp_path / "uart.bin"
    file.write_bytes(b"noise" * 5000)
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(PROGRAM)} {words.format(file=file)}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"tabletool: error: {said}")
    assert "Exception ignored" not in done.stderr


def test_control_c_at_a_terminal_ends_a_board_without_a_word():
    """A terminal sends it to every process that the command started, too."""
    process = subprocess.Popen(
        [*PROGRAM, "emulate", "stock"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    while not process.stdout.readline().startswith("next: "):
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    assert (process.wait(timeout=30), process.stderr.read()) == (0, "")
    process.stdout.close()
    process.stderr.close()
