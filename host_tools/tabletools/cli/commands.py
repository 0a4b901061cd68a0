"""Every command of the program: its group, one line about it, and the extras that it needs.

What `tabletool --help` lists without importing a command; the modules have all else.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """One command. module: of this folder, named like the command where it is empty."""

    name: str
    summary: str
    extras: tuple[str, ...] = ()
    module: str = ""

    @property
    def path(self) -> str:
        """Dotted name of the module that registers it."""
        return f"tabletools.cli.{self.module or self.name.replace('-', '_')}"


GROUPS: dict[str, tuple[Command, ...]] = {
    "Table": (
        Command("emulate", "Emulate a table: shipped firmware, modelled machine."),
        Command("monitor", "Watch a table live and change nothing."),
        Command("port", "List serial ports and the tables that answer there."),
        Command("diag", "Diagnose a table: `diag PORT` is `diag table PORT`."),
        Command("trial", "Play a wheel beside its reader or a croupier.", ("pit", "audit")),
        Command("config", "Read, compare and set the configuration of a table."),
        Command("trace", "Fetch the traces of a table's last ten rounds."),
        Command("dice", "Read the faces of dice in pictures.", ("dice",)),
        Command("take-picture", "Fetch a frame of a tray's camera.", ("dice",)),
        Command("commission-tray", "Measure a tray for the strict reader.", ("dice",)),
        Command("load-shoe", "Declare a new shoe, or that the same shoe goes on."),
        Command("clear-fault", "Clear a fault that waits for a technician."),
        Command("maintenance", "Open or close the console of a table."),
        Command("lock", "Lock a table whose firmware cannot be trusted.", module="maintenance"),
        Command("attest", "Compare every file on a table with a release."),
    ),
    "Pit": (
        Command("play", "Play a round of each role and settle its bets.", ("pit", "dice")),
        Command("demo", "A whole emulated pit in real time, with console.", ("pit", "dice")),
        Command("serve", "Run a pit: tables, ledger, bets over HTTP.", ("pit",)),
        Command("users", "The users of a pit host and their roles.", ("pit",)),
        Command("collect", "Store and acknowledge the records of a table.", ("pit",)),
        Command("feed", "Send the events of a ledger to a broker or file.", ("pit",)),
        Command("consume", "Store every event of a broker in a file.", ("pit",)),
        Command("estate", "The centre of several sites: their figures.", ("pit", "archive")),
        Command("wheelline", "The one-line status of automatic wheels.", ("pit",)),
    ),
    "Evidence": (
        Command("decode", "Print the frames of a capture."),
        Command("evidence", "List stored rounds, or one with all evidence.", ("pit",)),
        Command("replay", "Run the table's logic on the trace of a round."),
        Command("audit", "Test played rounds for bias.", ("audit",)),
        Command("explain", "Cause, remedy and rule of any code."),
    ),
    "Money": (
        Command("settle", "Settle rounds: one JSON line in, one out."),
        Command("wallet", "The external wallet of a host: its day, open items.", ("pit",)),
        Command("ledger", "Verify, settle again, back up, restore a ledger.", ("pit",)),
    ),
    "Build": (
        Command("flash", "Make a table of a board with MicroPython."),
        Command("keys", "Make, send, change and list the keys of tables."),
        Command("release", "Make, sign and verify releases of the firmware."),
    ),
}
COMMANDS = {command.name: command for group in GROUPS.values() for command in group}
