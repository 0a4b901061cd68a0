"""Writes docs/CLI.md from the program's help: `python -m tabletools.cli.reference [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from tabletools.cli.main import program
from tabletools.generated import write_or_check

FILE = Path(__file__).resolve().parents[2] / "docs" / "CLI.md"
WIDTH = 88
_MANY = 8  # options of a command that are those of another
# Beside the document, made with the hidden option --save-svg. diag.svg: host_tools/tests/
# diag_picture.py. monitor.svg: `tabletool emulate roulette --serve 127.0.0.1:7301 --wheel double
# --fault mixed`, and `tabletool monitor socket://127.0.0.1:7301 --for 240 --save-svg FILE`.
PICTURES = {"tabletool monitor": "monitor.svg", "tabletool diag table": "diag.svg"}
INTRODUCTION = """\
# tabletool

Generated from `--help` by `make gen`. Exit codes of every command: 0 done; 1 a usage mistake or a
problem of the table; 2 an internal error (`--debug` shows where); 3 the table is not reachable;
4 the board does not fit; 5 interrupted, and the same command continues; 6 `diag` found a failure;
7 stored data was changed outside the program. An error says what is wrong, where and the limit,
then the likely cause and the next step; with `--json` it is one line on standard error:
`{"error": {"what", "where", "limit", "cause", "step", "exit_code", "details"}}`.

Every command has `-h`, and at any place `-v`, `--log-file FILE` and `--debug`.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name: ("tabletool decode", command), groups before members."""
    yield from _below("tabletool", get_command(program()))


def _below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    if isinstance(command, TyperGroup):
        context = Context(command, resilient_parsing=True)
        for name in command.list_commands(context):
            yield from _below(f"{path} {name}", command.get_command(context, name))


def section_of(path: str, command: Any, first: tuple[str, list[str]]) -> str:
    """What the document says of a command: its help, without what is said elsewhere.

    first: path and options of the first command of its group. Those of another that are the same
    are left out, if they are most; of a group its examples are, which its commands have.
    """
    before, options, after = _parts(help_of(path, command))
    if isinstance(command, TyperGroup) and path != "tabletool":
        after = after.partition("\n  Examples:")[0]
    own = [option for option in options if option not in first[1]]
    if path != first[0] and len(options) - len(own) >= _MANY:
        options = [*own, f"  and {len(options) - len(own)} of {first[0]}\n"]
    return f"{before}{''.join(options)}{after}".rstrip()


def _parts(text: str) -> tuple[str, list[str], str]:
    """Return a help in three parts: before its options, these, and what follows."""
    before, title, rest = text.partition("Options:\n")
    body, gap, after = rest.partition("\n\n")
    options: list[str] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("  -") or not options:
            options.append(line)
        else:
            options[-1] += line
    options = [f"{each.rstrip()}\n" for each in options if not each.startswith("  -h, --help")]
    return before + (title if options else ""), options, f"\n{after}" if gap else ""


def help_of(path: str, command: Any) -> str:
    """The output of `path --help`, at the width of the document."""
    context = command.make_context(
        path,
        ["--help"],
        resilient_parsing=True,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    lines = str(command.get_help(context)).splitlines()
    return "\n".join(line.rstrip() for line in lines)


def document() -> str:
    """The whole text of docs/CLI.md."""
    parts, first = [INTRODUCTION], dict[str, tuple[str, list[str]]]()
    for path, command in commands():
        if not isinstance(command, TyperGroup):
            first.setdefault(path.rpartition(" ")[0], (path, _parts(help_of(path, command))[1]))
        section = section_of(path, command, first.get(path.rpartition(" ")[0], ("", [])))
        parts.append(f"## {path}\n\n```text\n{section}\n```\n")
        if path in PICTURES:
            parts.append(f"![{path}]({PICTURES[path]})\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write or check the document; returns the exit code."""
    stale = "reference: host_tools/docs/CLI.md is stale: run `make gen` and commit it"
    return write_or_check(arguments, FILE, document(), stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
