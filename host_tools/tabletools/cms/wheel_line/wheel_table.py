"""A wheel that sends a status line, as a casino table of the ledger.

A program that starts in the middle of a round does not join it: two users rule on its outcome.
"""

from collections.abc import Callable

from tabletools.cms.wheel_line import reader as r
from tabletools.cms.wheel_line.reader import Happened, WheelReader
from tabletools.cms.wheel_line.status_line import cut
from tabletools.store import Lease, LedgerRejection, Store
from tabletools.table import wheel_lines


class WheelTable:
    """One wheel, one table. lease: renewed by its owner; assign the new one here.

    say: called with every action of the wheel and its effect.
    """

    def __init__(
        self,
        ledger: Store,
        lease: Lease,
        dialect: str,
        *,
        say: Callable[[Happened, str], None] = lambda happened, became: None,
    ) -> None:
        self.lease = lease
        self.reader = WheelReader(dialect)
        self._ledger = ledger
        self._say = say
        self._rest = b""
        self._round: int | None = None
        self._acts: dict[str, Callable[[Happened], str]] = {
            r.OPENED: self._open,
            r.CLOSED: self._close,
            r.RESULT: lambda h: self._end(h, {"pocket": h.number.strip()}),
            r.VOID: lambda h: self._end(h, {"void": h.text}),
            r.DOUBT: self._doubt,
            r.WARNING: self._warn,
        }

    def take(self, data: bytes, now_ms: int) -> None:
        """Take bytes of the line. Raises LostLease, StoreError."""
        lines, self._rest = cut(self._rest + data)
        for line in lines:
            for happened in self.reader.feed(line, now_ms):
                self._act(happened)

    def quiet(self, now_ms: int) -> None:
        """Check the time while nothing comes. Raises LostLease, StoreError."""
        for happened in self.reader.quiet(now_ms):
            self._act(happened)

    def overdue(self) -> None:
        """Close bets that were open too long; the wheel may still end the round."""
        if self._round is not None:
            wheel_lines.close_round(self._ledger, self.lease, self._round)
        self._ledger.forget_opening(self.lease.table)

    def _act(self, happened: Happened) -> None:
        self._say(happened, self._acts[happened.kind](happened))

    def _open(self, happened: Happened) -> str:
        self._round = None  # if the ledger fails now, later lines belong to no round
        self._round = wheel_lines.open_round(self._ledger, self.lease)
        return f"round {self._round}"

    def _close(self, happened: Happened) -> str:
        if self._round is None:
            return "of no round"
        wheel_lines.close_round(self._ledger, self.lease, self._round)
        return f"round {self._round}"

    def _end(self, happened: Happened, outcome: dict[str, object]) -> str:
        key, self._round = self._round, None
        if key is None:
            return "of no round"
        try:
            is_settled = wheel_lines.end_round(
                self._ledger, self.lease, key, outcome, happened.lines
            )
        except LedgerRejection as refused:
            if refused.code == "lease_lost":
                raise
            text = f"the status line says {outcome}: {refused.what}"
            wheel_lines.doubt_round(self._ledger, self.lease, key, text, happened.lines)
            is_settled = False
        return f"round {key} {'settled' if is_settled else 'waits for two users'}"

    def _doubt(self, happened: Happened) -> str:
        key, self._round = self._round, None
        text = f"{happened.text}: the status line settles nothing"
        wheel_lines.doubt_round(self._ledger, self.lease, key, text, happened.lines)
        return f"round {key} waits for two users"

    def _warn(self, happened: Happened) -> str:
        wheel_lines.doubt_round(self._ledger, self.lease, None, happened.text)
        return "an alarm"
