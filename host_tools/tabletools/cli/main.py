"""`tabletool`: combines the commands, and turns every failure into a message and an exit code.

Exit codes: 0 done; 1 a mistake of the user or a problem of the table; 2 a defect of this program
(--debug shows the traceback); 3 the table is not reachable; 4 the board does not fit; 5
interrupted, the same command continues; 130 interrupted by Ctrl-C.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Annotated

import typer
from typer.main import get_command

from tabletools.cli.command_group import ProgramGroup
from tabletools.cli.commands import COMMANDS
from tabletools.cli.program_log import LOG, RunOptions, logging_to, run_options
from tabletools.cli.report import WORD as JSON
from tabletools.cli.standard_streams import OutputError, set_up
from tabletools.cli.usage_errors import in_our_words
from tabletools.errors import INTERNAL, USER, ToolError
from tabletools.extras import lacking

INTERRUPTED = 130
# Set by the script that --install-completion gives to a shell.
COMPLETE = "_TABLETOOL_COMPLETE"
SETTINGS = """\b
A port, a keyring and a ledger that commands take where none is named:
  ~/.config/tablewire/tabletool.toml, or the file in $TABLETOOL_CONFIG
    port = "/dev/serial/by-id/usb-FTDI_FT232R-if00-port0"
    keys = "~/keys.json"
    ledger = "pit.ledger"
"""


def program() -> typer.Typer:
    """Return the program. A command is imported when it is named, not before."""
    return typer.Typer(
        name="tabletool",
        cls=ProgramGroup,
        help="Electronic table machines: watch a table, read what it sent, settle its bets.",
        epilog=SETTINGS,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tabletool {version('tablewire')}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an internal error.")
    ] = False,
    _verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say on standard error what is done.")
    ] = False,
    _log_file: Annotated[
        str, typer.Option("--log-file", metavar="FILE", help="Add all of that to a file.")
    ] = "",
) -> None:
    pass


def _say(error: ToolError, *, as_json: bool = False) -> int:
    if as_json:
        print(json.dumps(error.record()), file=sys.stderr)
    else:
        for line in error.lines():
            print(line, file=sys.stderr)
    LOG.debug("exit code %d: %s", error.exit_code, json.dumps(error.record()))
    return error.exit_code


def _usage_error(error: typer.TyperException) -> ToolError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "tabletool"
    what = in_our_words(error.format_message())
    return ToolError(what, where=path, step=f"see `{path} --help`", exit_code=USER)


def _defect(error: Exception, *, is_debug: bool) -> ToolError:
    if is_debug:
        traceback.print_exc()
    LOG.debug("internal error", exc_info=error)
    return ToolError(
        f"internal: {type(error).__name__}: {error}",
        cause="a defect of tabletool, not of the table",
        step="report it with the output of the same command and --debug",
        exit_code=INTERNAL,
    )


def _keyring_error(error: Exception) -> ToolError | None:
    """An error of a keyring for users, None for any other. Few commands import keys."""
    from tabletools.keys import KeyringError

    if not isinstance(error, KeyringError):
        return None
    return ToolError(error.what, where=error.where, cause=error.cause, step=error.step)


def _end_quietly() -> int:
    """The reader of the output is gone: send the interpreter's last flush to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run(arguments: list[str]) -> int:
    """Run one command line without the program name; returns the exit code."""
    say = partial(_say, as_json=JSON in arguments)
    try:
        options, words = run_options(arguments)
        with logging_to(options, arguments):
            return _run(options, words or ["--help"], say)
    except ToolError as error:
        return say(error)


def _run(options: RunOptions, words: list[str], say: Callable[[ToolError], int]) -> int:
    try:
        with get_command(program()).make_context("tabletool", words) as context:
            context.command.invoke(context)
        sys.stdout.flush()
        return 0
    except typer.Exit as end:
        return end.exit_code
    except BrokenPipeError:
        return _end_quietly()
    except OutputError as error:
        _end_quietly()
        what = f"cannot write the output: {error}"
        return say(ToolError(what, where="standard output", step="send it elsewhere"))
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.TyperException as error:
        return say(_usage_error(error))
    except ToolError as error:
        return say(error)
    except ModuleNotFoundError as error:
        extras = COMMANDS[words[0]].extras if words[0] in COMMANDS else ()
        message = lacking(error, f"tabletool {words[0]}", extras)
        return say(message or _defect(error, is_debug=options.is_debug))
    except Exception as error:
        return say(_keyring_error(error) or _defect(error, is_debug=options.is_debug))


def main() -> None:
    """Entry point of the installed program."""
    try:
        set_up()
    except ToolError as error:
        sys.exit(_say(error))
    if COMPLETE in os.environ:
        get_command(program())(prog_name="tabletool")
    sys.exit(run(sys.argv[1:]))
