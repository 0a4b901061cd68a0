"""Run a transaction of a table on its state in memory.

The state is read once a lease, then follows what is written here. It is dropped, and read again
for the next transaction, when a transaction fails, and when one is written under the lease without
it (`Store.run`).

The first statement of each transaction locks the lease and reads what other programs may change,
and for a batch of bets the balances of its players and the known requests.
"""

import json
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, text, update

from tabletools.evidence import alarms, records, round_records
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.records import RecordId
from tabletools.evidence.tables import Terms
from tabletools.link import Proof
from tabletools.roles import Played
from tabletools.store.database import Lease, Store
from tabletools.store.engine import POSTGRESQL, SQLITE
from tabletools.store.errors import LostLease
from tabletools.store.rows import put
from tabletools.store.schema import play
from tabletools.store.schema.evidence import OPEN
from tabletools.table import loading
from tabletools.table.state import Fault, Round, SharedFacts, TableState
from tablewire.codec import Frame
from tablewire.messages import FAULT_RAISED

Result = TypeVar("Result")
_NO_LEASE = 0
_FACTS = """
SELECT l.token, t.device, t.name, t.currency, t.enabled,
    (SELECT MAX(x.id) FROM terms x WHERE x.table_id = t.id) AS terms,
    (SELECT s.reason FROM stops s WHERE s.device = {device} AND s.released_ns IS NULL) AS stop,
    u.boot, u.counter, a.text AS unread_text, e.kind AS end_kind, e.bound AS end_bound,
    (SELECT MAX(c.id) FROM alarms c WHERE c.acknowledged_ns IS NULL AND c.kind = 'clock_step')
        AS clock_alarm,
    (SELECT MAX(o.id) FROM alarms o WHERE o.table_id = t.id AND o.cleared_ns IS NULL
        AND {open}) AS active_alarm
FROM leases l JOIN tables t ON t.id = l.table_id
LEFT JOIN unread_records u ON u.id = (
    SELECT v.id FROM unread_records v
    WHERE v.device = {device} AND v.closed_ns IS NULL AND v.counts = 1
    ORDER BY v.boot, v.counter LIMIT 1)
LEFT JOIN alarms a ON a.id = u.alarm_id
LEFT JOIN play_ends e ON e.id = (SELECT MAX(y.id) FROM play_ends y WHERE y.table_id = t.id)
    AND e.bound IS NOT NULL
WHERE l.table_id = :table
"""
_LOCKED = _FACTS + " FOR UPDATE OF l"
# Built once: they begin every transaction. By whether they lock the lease, then of the controller
# or another device. SQLite has one writer and needs no lock.
_QUERIES = {
    (is_locked, is_own): text(query.format(device="t.device" if is_own else ":device", open=OPEN))
    for is_locked, query in ((False, _FACTS), (True, _LOCKED))
    for is_own in (True, False)
}
_BATCH = """
SELECT f.*, p.* FROM ({facts}) f LEFT JOIN {lateral} (
    SELECT a.id AS account, a.balance_cents, NULL AS key, NULL AS digest, NULL AS answer
    FROM ({players}) a
    UNION ALL SELECT NULL, NULL, k.name, k.digest, k.answer FROM {answers}
) p ON 1 = 1
"""
_PLAYERS = """
SELECT id, balance_cents FROM accounts
WHERE id {those} AND kind = 'player' AND currency = {currency} ORDER BY id
"""
_ANSWERS = "SELECT name, digest, answer FROM idempotency_keys WHERE scope = :scope AND name"
# In PostgreSQL the rows of the players depend on the facts, so the lease is locked before them;
# it looks up each key, as for a long list it would read all of them.
_BATCHES = {
    SQLITE: text(
        _BATCH.format(
            facts=_FACTS.format(device="t.device", open=OPEN),
            lateral="",
            players=_PLAYERS.format(
                those="IN :players", currency="(SELECT currency FROM tables WHERE id = :table)"
            ),
            answers=f"({_ANSWERS} IN :keys) k",
        )
    ).bindparams(bindparam("players", expanding=True), bindparam("keys", expanding=True)),
    POSTGRESQL: text(
        _BATCH.format(
            facts=_LOCKED.format(device="t.device", open=OPEN),
            lateral="LATERAL",
            players=_PLAYERS.format(
                those="= ANY(CAST(:players AS bigint[]))", currency="f.currency"
            )
            + " FOR NO KEY UPDATE",
            answers="unnest(CAST(:keys AS text[])) AS n (key)"
            f" CROSS JOIN LATERAL ({_ANSWERS} = n.key LIMIT 1) k",
        )
    ),
}
# Built once: they run with most records. What is written, by whether a round is of the device and
# of the table: the host of its device enters its records, the host of its table settles it.
_OF_DEVICE: dict[str, Any] = {
    "opened": bindparam("opened_id"),
    "closed": bindparam("closed_id"),
    "ended": bindparam("ended_id"),
    "verdict": bindparam("new_verdict"),
}
_OF_TABLE: dict[str, Any] = {"settled": bindparam("generation")}
_SAVE = update(play.rounds).where(play.rounds.c.id == bindparam("key"))
_SAVES = {
    (True, True): _SAVE.values(**_OF_DEVICE, **_OF_TABLE),
    (True, False): _SAVE.values(**_OF_DEVICE),
    (False, True): _SAVE.values(**_OF_TABLE),
}


class Batch(NamedTuple):
    """What a batch of bet requests needs from the database."""

    players: Collection[int]
    """Accounts of the players."""
    keys: Collection[str]
    """Keys of the requests."""


class BatchFacts(NamedTuple):
    """What the database says to a batch."""

    balances: dict[int, int]
    """Cents by account of those that are players in the currency of the table; locked."""
    answers: dict[str, tuple[str, Any]]
    """Digest and answer of the requests that were answered before, by key."""


_NO_BETS = BatchFacts({}, {})


class Turn:
    """One transaction of a table."""

    def __init__(
        self,
        store: Store,
        db: Connection,
        state: TableState,
        shared: SharedFacts,
        batch: BatchFacts = _NO_BETS,
    ) -> None:
        self.store = store
        self.db = db
        self.state = state
        self.shared = shared
        self.batch = batch
        self.table = state.table
        self.now_ns = store.clock.wall_ns()
        self.elsewhere: set[int] = set()  # other tables whose rounds changed
        self._changed: dict[int, Round] = {}
        self._is_window_changed = False

    def stop(self, alarm: AlarmCause) -> None:
        """Store an alarm and stop its device; the bets of its table close."""
        if alarm.device == self.shared.device:
            self.close_bets("stopped")
        self.flush()
        alarms.stop(self.db, alarm, self.now_ns)
        self.look_again()

    def end_alarms(
        self, kinds: Collection[str], *, round_key: int | None = None, code: int | None = None
    ) -> None:
        """Note that the cause of alarms of the controller or of a round of the table is over."""
        if self.shared.has_active_alarm:
            device = self.shared.device if round_key is None else None
            alarms.clear(
                self.db, self.now_ns, kinds, device=device, round_key=round_key, code=code
            )

    def change(self, changed: Round) -> None:
        """Note that a round differs from its row."""
        self._changed[changed.id] = changed

    def newest_over(self) -> int:
        """Return a number above which are the rows of the round being played and of later ones."""
        current = self.state.round
        if current is None:
            return 0
        is_own = current.device == self.shared.device  # a machine that was exchanged ends no round
        is_running = is_own and current.ended is None and not current.settled
        return current.id - 1 if is_running else current.id

    def terms_at(self, number: int) -> Terms:
        """Return the terms of a row."""
        known = self.state.terms
        if number not in known:
            known[number] = casino.terms_at(self.db, number)
        return known[number]

    def played_by(self, terms: int | None) -> Played:
        """Return what is played by the terms of a row; without terms it is unknown."""
        if terms is None:
            return Played(None)
        known = self.state.played
        if terms not in known:
            known[terms] = round_records.played_by(self.terms_at(terms))
        return known[terms]

    def active_faults(self, place: RecordId) -> tuple[int, ...]:
        """Return the codes raised in the boot of a place before it, and not cleared by then."""
        state, (boot, counter) = self.state, place
        if boot not in state.faults:
            assert state.device is not None
            state.faults[boot] = loading.faults_of(self.db, state.device, boot)
        earlier = (each for each in sorted(state.faults[boot]) if each.counter < counter)
        latest = {each.code: each.is_raised for each in earlier}
        return tuple(sorted(code for code, is_raised in latest.items() if is_raised))

    def note_fault(self, frame: Frame) -> None:
        """Enter a fault that was raised or cleared; its row is written already."""
        known = self.state.faults.get(frame.boot)
        if known is not None:
            is_raised = frame.type == FAULT_RAISED
            known.append(Fault(frame.counter, frame.values[0], is_raised))

    def session_of(self, device: int, proof: Proof | None) -> int | None:
        """Return the row of the session that verified a record, created if it is new."""
        if proof is None:
            return None
        known, name = self.state.sessions, (proof.boot, proof.host_nonce, proof.device_nonce)
        if name not in known:
            row = records.session_of(self.db, device, proof, self.now_ns)
            assert row is not None
            known[name] = row
        return known[name]

    def look_for_gaps(self) -> None:
        """Read the first missing counter again: gaps were found, filled or ended."""
        self.state.gap = loading.first_gap(self.db, self.state.device)

    def look_for_live_stakes(self) -> None:
        """Read again whether stakes stay in play, after a correction took some out of it."""
        self.flush()
        self.state.has_live_stakes = loading.has_live_stakes(self.db, self.table)

    def renew_stakes_of(self, changed: Round) -> None:
        """Measure the stakes of a round again if it is the newest: some left it, or came to it."""
        if changed.id == self.state.round_id:
            self.state.renew_stakes()

    def look_again(self) -> None:
        """Read again what other programs may change, after it changed here."""
        shared = _read_facts(self.db, self.table, self.state.device)
        assert shared is not None
        self.shared, self.state.bars = shared, shared.bars

    def is_missing_before(self, place: RecordId) -> bool:
        """Whether a counter of the device before a place is missing.

        A stored record that cannot be decoded counts as missing.
        """
        missing = (self.state.gap, self.shared.unread)
        return any(first is not None and first < place for first in missing)

    def reload(self) -> None:
        """Read the state again within this transaction, after rows changed without it."""
        self.flush()
        state = self.state
        self.shared, self.state = _read_of(self.db, self.table, state.token, state.device)

    def change_device(self) -> None:
        """Follow the present controller of the table, after it changed here."""
        self.flush()
        self.shared, self.state = _read_of(self.db, self.table, self.state.token, None)

    def set_bets(self, *, is_open: bool, cause: str, round_id: int | None) -> None:
        """Open or close the bets of a table."""
        state = self.state
        state.bets_open, state.cause, state.since_ns = is_open, cause, self.now_ns
        state.round_id = round_id
        self._is_window_changed = True

    def close_bets(self, cause: str) -> bool:
        """Close the bets if they are open; returns whether they were."""
        if not self.state.bets_open:
            return False
        self.set_bets(is_open=False, cause=cause, round_id=self.state.round_id)
        return True

    def flush(self) -> None:
        """Write what changed in rows that exist already."""
        for each in self._changed.values():
            if each.table is not None and each.table != self.table:
                self.elsewhere.add(each.table)
            of_device, of_table = each.device == self.state.device, each.table == self.table
            values: dict[str, object] = {"key": each.id}
            if of_device:
                rows = (each.opened, each.closed, each.ended)
                opened, closed, ended = (None if row is None else row.id for row in rows)
                values |= {"opened_id": opened, "closed_id": closed, "ended_id": ended}
                values["new_verdict"] = each.verdict
            if of_table:
                values["generation"] = each.settled
            self.db.execute(_SAVES[of_device, of_table], values)
        self._changed.clear()
        if self._is_window_changed:
            state = self.state
            values = {
                "table_id": self.table,
                "round_id": state.round_id,
                "cause": state.cause,
                "bets_open": int(state.bets_open),
                "since_ns": state.since_ns,
            }
            put(self.db, play.table_states, ("table_id",), values)
            self._is_window_changed = False


def run(
    store: Store,
    lease: Lease,
    action: Callable[[Turn], Result],
    *,
    device: int | None = None,
    batch: Batch | None = None,
) -> Result:
    """Run an action as one transaction of a table; returns its result.

    device: whose record it is about, None for the controller of the table. batch: what bets need,
    it becomes `Turn.batch`. Raises LostLease, StoreError.
    """
    memory = store.memory(lease.table)
    with memory.lock:

        def prepare() -> None:
            drops.append(memory.drops)
            if not _is_of(memory.state, lease):
                memory.state = read(store, lease)

        def write(db: Connection) -> Result:
            written.clear()  # of a try that was not committed
            known, memory.state = memory.state, None
            shared, for_bets = _facts_under(store, db, lease, batch)
            # Dropped since `prepare` where another table changed a round of this one.
            state = known if isinstance(known, TableState) else _load(db, lease)
            is_own = device is None or device == state.device
            if not is_own or shared.device != state.device:
                shared, state = _read_of(db, lease.table, lease.token, None if is_own else device)
            turn = Turn(store, db, state, shared, for_bets)
            if shared.bars != state.bars:
                turn.reload()
            result = action(turn)
            turn.flush()
            elsewhere.update(turn.elsewhere)
            if is_own:
                turn.state.forget_past()
                written.append(turn.state)
            return result

        elsewhere: set[int] = set()
        written: list[TableState] = []
        drops: list[int] = []
        result = store.run(write, prepare=prepare)
        if written and memory.drops == drops[-1]:
            memory.state = written[-1]
        for other in elsewhere:
            store.memory(other).drop()
        return result


def look(store: Store, lease: Lease) -> TableState:
    """Return the state of a table as the last transaction left it, read where it is not in memory.

    To act on it, decide again in a transaction. Raises StoreError.
    """
    memory = store.memory(lease.table)
    state = memory.state  # None while a transaction runs
    if not _is_of(state, lease):
        with memory.lock:
            if not _is_of(memory.state, lease):
                memory.state = read(store, lease)
            state = memory.state
    assert isinstance(state, TableState)
    return state


def _is_of(state: object, lease: Lease) -> bool:
    """Whether a state in memory was read under a lease."""
    return isinstance(state, TableState) and state.token == lease.token


def read(store: Store, lease: Lease) -> TableState:
    """Read the state of a table. Raises StoreError."""
    with store.read() as db:
        return _load(db, lease)


def _load(db: Connection, lease: Lease) -> TableState:
    device = loading.device_of(db, lease.table)
    shared = _read_facts(db, lease.table, device, lock=False)
    bars = (None, None) if shared is None else shared.bars
    return loading.load(db, lease.table, lease.token, device, bars)


def scope_of(table: int) -> str:
    """Return the scope of the keys of the bet requests of a table."""
    return f"bets {table}"


def _read_facts(
    db: Connection, table: int, device: int | None = None, *, lock: bool = True
) -> SharedFacts | None:
    """Return what other programs may change; None for a table without a lease.

    device: whose stop and unread records are meant, None for the controller of the table. lock:
    no other transaction takes the lease until the end.
    """
    query = _QUERIES[lock and db.dialect.name == POSTGRESQL, device is None]
    named = {"table": table} if device is None else {"table": table, "device": device}
    row = db.execute(query, named).one_or_none()
    return None if row is None else _facts_of(row)


def _read_for(db: Connection, table: int, batch: Batch) -> tuple[SharedFacts | None, BatchFacts]:
    """Return the facts of the controller of a table, and those of a batch; lock lease and players.

    The players are locked in the order of their accounts.
    """
    values = {"table": table, "scope": scope_of(table), "keys": list(batch.keys)}
    values["players"] = sorted(set(batch.players))
    rows = db.execute(_BATCHES[db.dialect.name], values).all()
    facts = BatchFacts({}, {})
    for row in rows:
        if row.account is not None:
            facts.balances[int(row.account)] = int(row.balance_cents)
        elif row.key is not None:
            facts.answers[row.key] = row.digest, json.loads(row.answer)
    return (_facts_of(rows[0]) if rows else None), facts


def _facts_of(row: Any) -> SharedFacts:
    """Return the facts of a row. It names more where a batch is read."""
    return SharedFacts(
        token=row.token,
        device=row.device,
        name=row.name,
        currency=row.currency,
        is_enabled=bool(row.enabled),
        terms=row.terms,
        stop=row.stop,
        unread=None if row.boot is None else (row.boot, row.counter),
        unread_text=row.unread_text,
        clock_alarm=row.clock_alarm,
        play_end=None if row.end_kind is None else (row.end_kind, row.end_bound),
        has_active_alarm=row.active_alarm is not None,
    )


def _facts_under(
    store: Store, db: Connection, lease: Lease, batch: Batch | None
) -> tuple[SharedFacts, BatchFacts]:
    store.verify_time(lease)
    if batch is None:
        shared, for_bets = _read_facts(db, lease.table), _NO_BETS
    else:
        shared, for_bets = _read_for(db, lease.table, batch)
    token = None if shared is None else shared.token
    if shared is None or token != lease.token:
        raise LostLease(lease.table, f"lease {lease.token} was taken over by {token}")
    return shared, for_bets


def without_lease(
    store: Store, db: Connection, table: int, device: int | None = None, *, lock: bool = True
) -> Turn | None:
    """Return a transaction of a table that this program does not lease; its state is thrown away.

    device: whose records it is about, None for the controller of the table. lock: no other
    transaction takes the lease until the end. None for a table that no host ever had.
    """
    shared = _read_facts(db, table, device, lock=lock)
    if shared is None:
        return None
    whose = shared.device if device is None else device
    return Turn(store, db, loading.load(db, table, _NO_LEASE, whose, shared.bars), shared)


def _read_of(
    db: Connection, table: int, token: int, device: int | None
) -> tuple[SharedFacts, TableState]:
    """Return the facts and the state by the records of a device, None for the controller."""
    shared = _read_facts(db, table, device)
    assert shared is not None
    whose = shared.device if device is None else device
    return shared, loading.load(db, table, token, whose, shared.bars)
