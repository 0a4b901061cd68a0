"""Every command of `tabletool` with its full name, for tests of several files: built once."""

from tabletools.cli import reference

COMMANDS = dict(reference.commands())
LEAVES = {path: command for path, command in COMMANDS.items() if not hasattr(command, "commands")}
