"""Waits for a table to answer, and reports why it does not: exit code 3."""

from tabletools import flash
from tabletools.console.watch import Watch
from tabletools.decode import Record
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.link import ONLINE, PortError
from tabletools.link.far_end import STRANGE

# How long the first frame of a table may take.
ANSWER_WITHIN_S = 3.0


def reach(watch: Watch, *, trusting: bool = True) -> list[Record]:
    """Wait for the first trusted frame; returns the records so far.

    Raises ToolError: exit code 3, or 1 for a table that is not authenticated. trusting: False to
    return even then.
    """
    records = list(watch.step())  # opens the port
    limit = watch.link.now_s() + ANSWER_WITHIN_S
    while watch.link.session.state != ONLINE:
        failure = watch.link.failure
        if failure is not None:
            raise _unreachable(watch.link.url, failure) from failure
        refusal = watch.link.session.trust.refusal
        if refusal is not None:
            if not trusting:
                return records
            raise ToolError(
                refusal.what, where=watch.link.url, cause=refusal.cause, step=refusal.step
            )
        if watch.link.now_s() > limit:
            raise silent(watch)
        records += watch.step()
    return records


def _unreachable(url: str, error: PortError) -> ToolError:
    return ToolError(
        error.what, where=url, cause=error.cause, step=error.step, exit_code=UNREACHABLE
    )


def silent(watch: Watch) -> ToolError:
    """The error for a silent table, with its likely cause."""
    session = watch.link.session
    where = watch.link.url
    what = "the table does not answer"
    if watch.link.failure is not None:
        return _unreachable(where, watch.link.failure)
    if watch.cause is not None:
        cause, step = watch.cause
    elif (strange := session.far_end.diagnosis()) is not None:
        what, cause = strange.what, strange.cause
        step = strange.step or (
            "find the port of its link: `tabletool port`; to see the bytes: "
            f"tabletool monitor {where} --record FILE"
        )
    elif session.skipped:
        cause = STRANGE
        step = f"look at the bytes: tabletool monitor {where} --record FILE"
    else:
        cause = "the table has no power, TX and RX are swapped, or this is the port of its USB"
        step = "check its supply, then the cable (boards/<board>/WIRING.md); which port is which:"
        step += " `tabletool port`"
    boards = flash.at_usb(where)
    if boards:
        what = "no table answers here: this is the USB port of a board, where its prompt is"
        cause = f"a table on a {' or '.join(boards)} answers at its link, a UART"
        step = "name the port of its link: `tabletool port`"
    limit = f"{session.frames} frames, {session.skipped} pieces skipped"
    return ToolError(
        what,
        where=where,
        limit=limit,
        cause=cause,
        step=step,
        exit_code=UNREACHABLE,
        details=["last frames:", *map(str, session.log.last())],
    )
