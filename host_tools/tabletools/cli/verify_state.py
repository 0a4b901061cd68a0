"""`ledger verify --state`: goes on from a verified state in a file, and writes the new one."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabletools.cli.open_database import reading
from tabletools.cli.report import say
from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.table.verify import Verified


class GoesOn(NamedTuple):
    """A verification that goes on. is_full: everything is verified, whatever the file says.

    has_keys, reads_pictures: see `table.verify.check`.
    """

    place: str
    file: Path
    is_full: bool
    has_keys: bool
    reads_pictures: bool

    def begin(self) -> "Verified | None":
        """Return the state to go on from, None to verify everything. Raises ToolError."""
        from tabletools.cli import verified_file

        saved = verified_file.read(self.file, _key_file())
        if saved is None or self.is_full:
            return None
        if saved.ledger != self._ledger():
            step = "name the file of this ledger, or one that does not exist"
            raise ToolError(
                "the verified state is of another ledger", where=str(self.file), step=step
            )
        written = datetime.fromtimestamp(saved.at_ns // 10**9, UTC)
        if saved.release != verified_file.release() or not self._covers() <= saved.covers:
            say(f"verified on {written:%F} by another release, or less: everything is verified")
            return None
        say(
            f"entries 1 to {saved.state.seq} were verified on {written:%F %T} UTC and are not read"
            " again; --full does"
        )
        return saved.state

    def end(self, state: "Verified") -> None:
        """Write the state that is verified now. Raises ToolError."""
        from tabletools.cli import verified_file

        saved = verified_file.saved_now(state, self._ledger(), self._covers(), time.time_ns())
        verified_file.write(self.file, _key_file(), saved)

    def _covers(self) -> frozenset[str]:
        from tabletools.cli import verified_file

        return verified_file.scope_words(
            has_keys=self.has_keys, reads_pictures=self.reads_pictures
        )

    def _ledger(self) -> str:
        from tabletools.store import checkpoint

        with reading(self.place) as db:
            return checkpoint.ledger_of(db)


def _key_file() -> Path:
    from tabletools.pit.settings import default_ledger

    return default_ledger().with_name("verified.key")
