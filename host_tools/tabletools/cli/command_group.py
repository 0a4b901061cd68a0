"""Groups of commands: help that is never cut, and commands imported when they are named."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup
from typer.main import get_command

from tabletools.cli.commands import COMMANDS, GROUPS
from tabletools.cli.user_settings import apply, user_settings

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter


class CommandGroup(TyperGroup):
    """Lists its commands with the first sentence of each, wrapped at words."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the section of the commands."""
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_sentence(each)) for name, each in listed if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class DefaultGroup(CommandGroup):
    """A group with a command for where none is named: `diag PORT` is `diag table PORT`."""

    default = ""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """See typer."""
        if (not args or args[0] not in self.commands) and args[:1] not in (["--help"], ["-h"]):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class ProgramGroup(CommandGroup):
    """All commands of the program, none of which is imported before it is named."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Import a command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command = _import_command(cmd_name)
        # Help that is written to a page is that of no user.
        if not ctx.resilient_parsing and (settings := user_settings()):
            command = deepcopy(command)
            apply(cmd_name, command, settings)
        return command

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command from the list, or an option: no command is imported."""
        commands = [each for each in COMMANDS.values() if each.name.startswith(incomplete)]
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [CompletionItem(each.name, help=each.summary) for each in commands] + options

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
        """See typer, whose suggestions are from this list."""
        names: Any = dict.fromkeys(COMMANDS)
        self.commands = names
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section for each group, from the list: no command is imported."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(each.name, each.summary) for each in commands])


@cache
def _import_command(name: str) -> Command:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, callback=lambda: None)
    import_module(COMMANDS[name].path).register(app)
    group: Any = get_command(app)
    command: Command = group.commands[name]
    return command


def examples_of(examples: str, path: str) -> str:
    """Return those of a group's examples that are of one command, such as "config get"."""
    head, *lines = examples.splitlines(keepends=True)
    title, lines = lines[0], lines[1:]
    return "".join(
        [head, title, *(line for line in lines if f"tabletool {path} " in f"{line.rstrip()} ")]
    )


def _first_sentence(command: Command) -> str:
    text = " ".join((command.help or "").partition("\n\n")[0].replace("\b", "").split())
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
