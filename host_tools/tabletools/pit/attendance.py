"""One table while its lease is held: what it sends is kept, what it does not send is asked for.

Shared by every host that keeps evidence, with money or without. Without I/O; time is handed in.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tabletools.evidence import Terms
from tabletools.evidence.attesting import Attesting
from tabletools.evidence.fetching import Evidence
from tabletools.evidence.traces import Traces
from tabletools.link import Received, Session
from tabletools.money.intake import Intake
from tabletools.pit.measuring import Measuring
from tabletools.pit.table_clock import TableClock
from tabletools.release import Manifest
from tabletools.store import Lease, Store
from tablewire.codec import Frame


class Wanted(NamedTuple):
    """What a table has to be. terms: None where its evidence alone is kept.

    expected: values of its configuration by key, beside what the terms demand. release: what it
    has to attest, None if nobody asks it.
    """

    terms: Terms | None = None
    expected: Mapping[str, int] = {}
    release: Manifest | None = None


class Attendance:
    """Keeps what one table sends and asks for its configuration, program and traces."""

    def __init__(
        self,
        ledger: Store,
        lease: Lease,
        session: Session,
        wanted: Wanted,
        *,
        is_fresh: Callable[[], bool] | None = None,
    ) -> None:
        """session: of the table's line. is_fresh: see Intake; None: by the clock of the table."""
        self.clock = TableClock(ledger.clock, session)
        self.intake = Intake(
            ledger,
            lease,
            made=self.clock.made,
            is_fresh=is_fresh or (lambda: self.clock.is_fresh),
            requires_attestation=wanted.release is not None,
            requires_configuration=wanted.terms is not None,
        )
        self.attesting: Attesting | None = None
        if wanted.release is not None:
            self.attesting = Attesting(session, self.intake, wanted.release)
        self._measuring = Measuring(session, self.intake, wanted.terms, wanted.expected)
        self._evidence = Evidence(session, Traces(ledger))

    @property
    def is_ready(self) -> bool:
        """Whether the next round may open its bets, by what is known of the table now."""
        return self.intake.is_fitting and self.clock.is_fresh

    def connected(self) -> None:
        """A port was opened: what is behind it may be another table, or another program."""
        self._measuring.connected()
        if self.attesting is not None:
            self.attesting.connected()

    def heard(self, frame: Frame) -> None:
        """Take a frame in the order of the line, after the intake has. Raises what that raises."""
        self._measuring.hear(frame)

    def take(self, event: Received, now_s: float) -> None:
        """Follow a frame that was heard, and ask what is due. Raises what the intake raises."""
        self._evidence.take(event, now_s)
        self._measuring.take(event.frame, now_s)
        if self.attesting is not None:
            self.attesting.take(event.frame, event.seal, now_s)
