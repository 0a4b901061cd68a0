"""Commands of the host: carried out, or refused with the cause and the limits.

A command must name this device and this boot; one for a round must name that round. With a key it
is sealed, or may come untagged (trust has verified that), else without flag; the rest is skipped.
"""

from tablewire import messages as m
from tablewire.codes import FIRMWARE_MISMATCH, MEMORY_DAMAGED

from .configure import obey
from .outbox import SLOTS
from .trust import LIMIT_MS


def signed(value: int) -> int:
    """A 32-bit number as the signed one with the same bits: refusals carry i32."""
    return value - 0x100000000 if value > 0x7FFFFFFF else value


class Commands:
    """table: table.Table. skipped: whole frames not obeyed and not answered, since boot."""

    def __init__(self, table: object) -> None:
        self.skipped = 0
        self.tamper = None  # tamper.Tamper once there was any
        self._table = table
        self._store = table.store
        self._post = table.post
        self._handlers = {
            m.ACKNOWLEDGE: self._acknowledge,
            m.OPEN_BETS: self._open_bets,
            m.CLOSE_BETS: self._close_bets,
            m.VOID_ROUND: self._void_round,
            m.GET_CONFIGURATION: self._configure,
            m.SET_CONFIGURATION: self._configure,
            m.FACTORY_CONFIGURATION: self._configure,
            m.CLEAR_FAULT: self._clear_fault,
            m.START_SESSION: self._start_session,
            m.SET_KEY: self._change_key,
            m.OFFER_KEY: self._change_key,
            m.CONFIRM_KEY: self._change_key,
            m.FETCH_TRACE: self._fetch_trace,
            m.BEACON: self._beacon,
        }
        for ident in (m.ATTEST, m.MAINTENANCE, m.LOCK, m.SELF_TEST, m.FETCH_PICTURE):
            self._handlers[ident] = self._service

    def take(self, frame: object) -> None:
        """Obey, refuse or skip one framing.Frame."""
        own = frame.type in self._table.role.commands
        handler = self._order if own else self._handlers.get(frame.type)
        ours = frame.device == self._store.serial
        sealed = m.FLAG_AUTHENTICATED if self._table.trust.number else 0
        trusted = frame.flags in (0, sealed)
        if frame.type == m.IDENTIFY and (ours or not frame.device) and trusted:
            self._table.reports.identity(frame.values[0])
        elif not trusted or handler is None or not ours:
            self.skipped += 1
        elif frame.boot != self._store.boot:
            self._refuse(frame, m.REFUSAL_WRONG_BOOT, frame.boot, self._store.boot)
        else:
            self._table.host.take(frame)
            handler(frame)

    def not_understood(self, frame: object) -> None:
        """Answer a command of a newer host that this firmware does not know."""
        if frame.device == self._store.serial and 0x40 <= frame.type < 0x60:
            self._refuse(frame, m.REFUSAL_NOT_UNDERSTOOD, frame.minor, m.MINOR)

    def _beacon(self, frame: object) -> None:
        self._table.host.beacon(frame.values[0])

    def _acknowledge(self, frame: object) -> None:
        if self._post.outbox.acknowledge(frame.values[0], frame.values[1]):
            self._table.faults.tell()
            if self.tamper is not None and frame.values[0] == self._store.boot:
                self.tamper.acknowledged(frame.values[1])

    def _open_bets(self, frame: object) -> None:
        coming = self._store.round + 1
        if frame.round not in (0, coming):
            self._refuse(frame, m.REFUSAL_WRONG_ROUND, frame.round, coming)
            return
        self._table.guard.look()
        cause = self._table.role.open_bets(self._table.now_us())
        if cause and self._table.faults.late:
            cause = m.REFUSAL_FAULT_STANDING
        elif cause and self._table.host.is_silent:
            self._refuse(frame, m.REFUSAL_STALE, self._table.host.age_ms(), 0, LIMIT_MS)
            return
        self._answer(frame, cause, m.PHASE_CLOSED, m.PHASE_CLOSED)

    def _close_bets(self, frame: object) -> None:
        if self._is_this_round(frame):
            role = self._table.role
            cause = role.close_bets(m.CLOSE_CAUSE_COMMAND, self._table.now_us())
            self._answer(frame, cause, m.PHASE_BETS_OPEN, role.last_bets_phase)

    def _void_round(self, frame: object) -> None:
        if self._is_this_round(frame):
            role = self._table.role
            cause = role.void_round(frame.values[0], self._table.now_us())
            self._answer(frame, cause, m.PHASE_BETS_OPEN, role.last_phase)

    def _order(self, frame: object) -> None:
        cause = self._is_this_round(frame) and self._table.order(frame.type, frame.values)
        if cause:
            self._refuse(frame, cause, *self._table.role.refused())

    def _is_this_round(self, frame: object) -> bool:
        if frame.round == self._store.round:
            return True
        self._refuse(frame, m.REFUSAL_WRONG_ROUND, frame.round, self._store.round)
        return False

    def _configure(self, frame: object) -> None:
        obey(self._table, frame, self._refuse)

    def _clear_fault(self, frame: object) -> None:
        code = frame.values[0]
        if not self._table.guard.clear(code):
            self._refuse(frame, m.REFUSAL_OUT_OF_RANGE, code, MEMORY_DAMAGED, FIRMWARE_MISMATCH)

    def _start_session(self, frame: object) -> None:
        trust = self._table.trust
        session = trust.session
        if session is not None:
            self._table.host.begin()
            if trust.ended is not None and trust.host != frame.values[0]:
                self._post.announce(m.SESSION_ENDED, frame.values, trust.ended)
            trust.host, trust.ended = frame.values[0], None
            self._post.announce(m.SESSION_STARTED, (), session.table)
            self._post.begin(session.table)

    def _change_key(self, frame: object) -> None:
        from . import key_change  # rare, so not always in memory

        if frame.type == m.SET_KEY:
            refusal = key_change.change(self._table, frame)
        elif frame.type == m.CONFIRM_KEY:
            refusal = key_change.confirm(self._table, frame)
        else:
            refusal = key_change.offer(self._table, frame, self._refuse)
        if refusal is not None:
            self._refuse(frame, *refusal)

    def _service(self, frame: object) -> None:
        from . import service  # seldom needed

        service.obey(self._table, frame, self._refuse)

    def _fetch_trace(self, frame: object) -> None:
        phase = self._table.role.phase
        if phase > m.PHASE_BETS_OPEN:  # reading holds up the judgement of a ball that runs
            self._refuse(frame, m.REFUSAL_WRONG_PHASE, phase, m.PHASE_CLOSED, m.PHASE_BETS_OPEN)
        else:
            self._table.traces.tell(frame.values[0], frame.values[1])

    def _answer(self, frame: object, cause: int, first: int, last: int) -> None:
        # What the role refused; the phases between first and last would have done.
        if cause == m.REFUSAL_FAULT_STANDING:
            faults = self._table.role.faults() + self._table.faults.late
            self._refuse(frame, cause, faults, 0)
        elif cause == m.REFUSAL_JOURNAL_FULL:
            self._refuse(frame, cause, self._post.outbox.waiting, 0, SLOTS)
        elif cause:
            self._refuse(frame, cause, self._table.role.phase, first, last)

    def _refuse(
        self, frame: object, cause: int, value: int, low: int, high: object = None, key: int = 0
    ) -> None:
        # Without a high limit the low one is the only value that would have done.
        if high is None:
            high = low
        values = [frame.type, frame.counter, cause, signed(value), signed(low), signed(high), key]
        self._post.ephemeral(m.REFUSAL, values)
