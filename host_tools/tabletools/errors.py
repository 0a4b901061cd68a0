"""Errors of the tools: what is wrong, where, the limit, the likely cause and the next step."""

import errno
from collections.abc import Sequence
from typing import Any

from tabletools.terminal_text import printable

USER = 1
INTERNAL = 2
UNREACHABLE = 3
UNSUITABLE = 4
INCOMPLETE = 5
UNSOUND = 7
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ToolError(Exception):
    """A problem that the user, or the table, has to correct.

    what: what is wrong, with the value found. where: file and line, port or field. limit: what
    would have been accepted. cause, step: likely cause and what to do next. exit_code: USER for
    a mistake or a table problem, UNREACHABLE when no table answers, UNSUITABLE when a board does
    not fit, INCOMPLETE when the same command can be repeated to continue, UNSOUND when stored
    data was changed by another program. details: evidence.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        limit: str = "",
        cause: str = "",
        step: str = "",
        exit_code: int = USER,
        details: Sequence[str] = (),
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.limit = limit
        self.cause = cause
        self.step = step
        self.exit_code = exit_code
        self.details = tuple(details)

    def lines(self, kind: str = "error") -> list[str]:
        """The message as printed: one line, and one each for cause and step if known.

        kind: "warning" where the command goes on. What comes from outside neither breaks a line
        nor steers a terminal.
        """
        place = ", ".join(part for part in (self.where, self.limit) if part)
        text = [f"tabletool: {kind}: {self.what}" + (f" ({place})" if place else "")]
        if self.cause:
            text.append(f"likely cause: {self.cause}")
        if self.step:
            text.append(f"next step: {self.step}")
        return [printable(line, keeps="") for line in (*text, *self.details)]

    def record(self) -> dict[str, dict[str, Any]]:
        """The message as JSON-ready data; what is not known is an empty text."""
        names = ("what", "where", "limit", "cause", "step", "exit_code")
        facts = {name: getattr(self, name) for name in names}
        return {"error": facts | {"details": list(self.details)}}


def cannot_write(name: str, error: OSError, where: object, step: str) -> ToolError:
    """Return the error of what cannot be written, for the user who named the place.

    name: as "the picture". step: what to do next, unless its disk is full.
    """
    if error.errno in _NO_SPACE:
        step = "free space there, or name a file on another disk"
    what = f"cannot write {name}: {(error.strerror or str(error)).lower()}"
    return ToolError(what, where=str(where), step=step)
