"""One table while its lease is owned: its records are stored, and missing ones are requested.

Shared by every host that stores evidence, with money or without. Without I/O; time is injected.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tabletools.evidence import Terms, round_records
from tabletools.evidence.fetching import Evidence
from tabletools.evidence.stored_traces import Traces
from tabletools.link import Received, Session
from tabletools.pit.attesting import Attesting
from tabletools.pit.measuring import Measuring
from tabletools.pit.table_clock import TableClock
from tabletools.release import Manifest
from tabletools.roles import Played
from tabletools.store import Lease, Store
from tabletools.table.intake import Intake
from tablewire.codec import Frame


class Wanted(NamedTuple):
    """What a table must be. terms: None where only its evidence is stored.

    expected: values of its configuration by key, besides what the terms require. release: the one
    it must attest, None for no attestation. has_host_camera: see Played.
    """

    terms: Terms | None = None
    expected: Mapping[str, int] = {}
    release: Manifest | None = None
    has_host_camera: bool = False


class Attendance:
    """Stores what one table sends and requests its configuration, program and traces."""

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
            made_at=self.clock.made_at,
            is_fresh=is_fresh or (lambda: self.clock.is_fresh),
            requires_attestation=wanted.release is not None,
            requires_configuration=wanted.terms is not None,
        )
        self.attesting: Attesting | None = None
        if wanted.release is not None:
            self.attesting = Attesting(session, self.intake, wanted.release)
        played = Played(None)
        if wanted.terms is not None:
            played = round_records.played_by(wanted.terms)
            played = played._replace(has_host_camera=wanted.has_host_camera)
        self._measuring = Measuring(session, self.intake, played, wanted.expected)
        self._evidence = Evidence(session, Traces(ledger))

    @property
    def is_ready(self) -> bool:
        """Whether the next round may open its bets, by what is known of the table now."""
        return self.intake.is_fitting and self.clock.is_fresh

    def connected(self) -> None:
        """Note that a port was opened: it may lead to another table, or another program."""
        self._measuring.connected()
        if self.attesting is not None:
            self.attesting.connected()

    def observe(self, frame: Frame) -> None:
        """Take a frame in the order of the line, after the intake. Raises what that raises."""
        self._measuring.observe(frame)

    def take(self, event: Received, now_s: float) -> None:
        """Follow a received frame, and send requests that are due.

        Raises what the intake raises.
        """
        self._evidence.take(event, now_s)
        self._measuring.take(event.frame, now_s)
        if self.attesting is not None:
            self.attesting.take(event.frame, event.seal, now_s)
