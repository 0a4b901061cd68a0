"""What all tables of one host share, and the error for a table that cannot be served now."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field

from tabletools.decode import Record
from tabletools.link import Keys, Port, open_port
from tabletools.link.freshness import STALE_AFTER_NS
from tabletools.link.nonces import fresh_nonce
from tabletools.pit.port_map import PortMap
from tabletools.pit.precedence import Precedence
from tabletools.pit.reader_pool import ReaderPool
from tabletools.store import Clock, Store
from tabletools.wallet import LEDGER_WALLET, Wallet


class TableUnavailable(Exception):
    """Nothing can be booked at a table now; the caller may retry.

    code: a word that never changes. what: what is wrong. step: what to do next.
    """

    def __init__(self, code: str, what: str, step: str) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.step = step


@dataclass(frozen=True)
class HostContext:
    """The dependencies of every table thread of a host.

    holder: name of this run of the host in leases. stale_after_ns: see link.freshness. new_nonce:
    eight unpredictable bytes, for a session. say: called with (event, facts) for the log.
    on_record: called with the number of a table and each decoded frame, once a record is stored.
    precedence: on SQLite, where all tables write to one file. readers: where pictures are read.
    ports: where which table answers. wallet: where the money of players is.
    """

    ledger: Store
    keys: Keys
    holder: str
    lease_s: int = 10
    batch_ms: int = 5
    stale_after_ns: int = STALE_AFTER_NS
    new_nonce: Callable[[], bytes] = fresh_nonce
    opener: Callable[[str], Port] = open_port
    say: Callable[[str, dict[str, object]], None] = field(default=lambda event, facts: None)
    on_record: Callable[[int, Record], None] = field(default=lambda table, record: None)
    precedence: Precedence = field(default_factory=Precedence)
    readers: Executor = field(default_factory=ReaderPool)
    ports: PortMap = field(default_factory=PortMap)
    wallet: Wallet = LEDGER_WALLET


@dataclass
class HostStats:
    """Counts of a table's host since it started, for the metrics."""

    frames: int = 0
    records: int = 0
    tampered: int = 0
    missed: int = 0
    link_lost: int = 0
    leases_lost: int = 0
    ledger_failures: int = 0
    defects: int = 0
    bets_taken: int = 0
    bets_refused: int = 0
    bets_unanswered: int = 0
    batches: int = 0
    refusals: dict[str, int] = field(default_factory=dict)

    def refuse(self, code: str) -> None:
        """Count a bet that was refused."""
        self.bets_refused += 1
        self.refusals[code] = self.refusals.get(code, 0) + 1


class IntervalTimer:
    """Rate limiter: the monotonic clock decides when a periodic action is due."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at_ns: dict[str, int] = {}

    def is_due(self, name: str, every_ns: int) -> bool:
        """Whether it is due; the first time at once."""
        now_ns = self._clock.mono_ns()
        if now_ns < self._at_ns.get(name, now_ns):
            return False
        self._at_ns[name] = now_ns + every_ns
        return True

    def put(self, name: str, after_ns: int) -> None:
        """Make it due after a delay."""
        self._at_ns[name] = self._clock.mono_ns() + after_ns
