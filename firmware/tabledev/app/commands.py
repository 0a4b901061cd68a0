"""Commands of the host: carried out, or refused with the cause and the limits.

A command must name this device and this boot; one for a round must name that round. With a key it
is sealed, or may come untagged (trust has verified that), else without flag; the rest is skipped.
"""

from tablewire import messages as m
from tablewire.codes import FIRMWARE_MISMATCH, MEMORY_DAMAGED

from .outbox import SLOTS
from .supervisor import asked_bytes
from .trust import LIMIT_MS

if -0:  # for mypy
    from tablelogic.core.engine import Engine
    from tabletypes import Clock, Handler, Handlers, Sure
    from tablewire.codec import Frame
    from tablewire.framing import Skip

    from .fault_log import Faults
    from .reports import Reports
    from .round_interlock import RoundInterlock
    from .store import Store
    from .tamper import Tamper
    from .transmitter import Transmitter
    from .trust import HostWatch, Trust


def signed(value: int) -> int:
    """A 32-bit number as the signed one with the same bits: refusals carry i32."""
    return value - 0x100000000 if value > 0x7FFFFFFF else value


class Commands:
    """Verifies the address of a command and obeys the commands for rounds and sessions.

    engine, transmitter, store, trust, host, faults, interlock, reports: those of the table; clock:
    see hal. others: handlers of the remaining commands by message number, handler(frame, refuse)
    with refuse(frame, cause, value, low, high, key): sends a refusal; high and key as below.
    skipped: whole frames neither obeyed nor answered, since boot. tamper: tamper.Tamper once a
    frame came that no honest host sent, else None.
    """

    def __init__(
        self,
        engine: "Engine",
        clock: "Clock",
        transmitter: "Transmitter",
        store: "Store",
        trust: "Trust",
        host: "HostWatch",
        faults: "Faults",
        interlock: "RoundInterlock",
        reports: "Reports",
        others: "Handlers",
    ) -> None:
        self.skipped = 0
        self.tamper: "Tamper | None" = None
        self._engine = engine
        self._clock = clock
        self._transmitter = transmitter
        self._store = store
        self._trust = trust
        self._host = host
        self._faults = faults
        self._interlock = interlock
        self._reports = reports
        self._others = others
        self._handlers = {
            m.ACKNOWLEDGE: self._acknowledge,
            m.OPEN_BETS: self._open_bets,
            m.CLOSE_BETS: self._close_bets,
            m.VOID_ROUND: self._void_round,
            m.CLEAR_FAULT: self._clear_fault,
            m.LOCK: self._lock,
            m.START_SESSION: self._start_session,
            m.BEACON: self._beacon,
        }

    def take(self, frame: "Frame") -> None:
        """Obey, refuse or skip one framing.Frame."""
        ident = frame.type
        own = ident in self._engine.role.commands
        handler = self._order if own else self._handlers.get(ident)
        other: "Sure[Handler]" = self._others.get(ident)
        ours = frame.device == self._store.serial
        sealed = m.FLAG_AUTHENTICATED if self._trust.number else 0
        trusted = frame.flags in (0, sealed)
        if ident == m.IDENTIFY and (ours or not frame.device) and trusted:
            self._reports.identity(frame.values[0])
        elif not (trusted and ours and (handler or other)):
            self.skipped += 1
        elif frame.boot != self._store.boot:
            self._refuse(frame, m.REFUSAL_WRONG_BOOT, frame.boot, self._store.boot)
        else:
            self._host.take(frame)
            if handler:
                handler(frame)
            else:
                try:
                    other(frame, self._refuse)
                except MemoryError as error:  # its modules are loaded on demand
                    self.refuse_for_memory(frame, error)

    def refuse_for_memory(self, frame: "Frame", error: Exception) -> None:
        """Refuse a command for lack of memory, with the bytes requested and free."""
        free = self._reports.free_bytes
        self._refuse(frame, m.REFUSAL_NO_MEMORY, asked_bytes(error), 0, free())

    def not_understood(self, frame: "Frame") -> None:
        """Answer a command of a newer host that this firmware does not know."""
        if frame.device == self._store.serial and 0x40 <= frame.type < 0x60:
            self._refuse(frame, m.REFUSAL_NOT_UNDERSTOOD, frame.minor, m.MINOR)

    def suspect(self, skip: "Skip") -> None:
        """Record a framing.Skip with a valid CRC, on a device with a key."""
        if self.tamper is None:
            from .tamper import Tamper  # rarely needed, so not always in memory

            self.tamper = Tamper(self._transmitter)
        in_session = self._trust.session is not None
        self.tamper.note(skip, self._engine.role, self._now_us(), in_session)

    def _now_us(self) -> int:
        return self._clock.ticks_us()

    def _beacon(self, frame: "Frame") -> None:
        self._host.beacon(frame.values[0])

    def _acknowledge(self, frame: "Frame") -> None:
        if self._transmitter.outbox.acknowledge(frame.values[0], frame.values[1]):
            self._faults.report()
            if self.tamper is not None and frame.values[0] == self._store.boot:
                self.tamper.acknowledged(frame.values[1])

    def _open_bets(self, frame: "Frame") -> None:
        coming = self._store.round + 1
        if frame.round not in (0, coming):
            self._refuse(frame, m.REFUSAL_WRONG_ROUND, frame.round, coming)
            return
        role, now_us = self._engine.role, self._now_us()
        self._interlock.look(role, now_us)
        cause = role.open_bets(now_us)
        if cause and self._faults.late:
            cause = m.REFUSAL_FAULT_ACTIVE
        elif cause and self._host.is_silent:
            self._refuse(frame, m.REFUSAL_STALE, self._host.age_ms(), 0, LIMIT_MS)
            return
        self._answer(frame, cause, m.PHASE_CLOSED, m.PHASE_CLOSED)

    def _close_bets(self, frame: "Frame") -> None:
        if self._is_this_round(frame):
            role = self._engine.role
            cause = role.close_bets(m.CLOSE_CAUSE_COMMAND, self._now_us())
            self._answer(frame, cause, m.PHASE_BETS_OPEN, role.last_bets_phase)

    def _void_round(self, frame: "Frame") -> None:
        if self._is_this_round(frame):
            role = self._engine.role
            cause = role.void_round(frame.values[0], self._now_us())
            self._answer(frame, cause, m.PHASE_BETS_OPEN, role.last_phase)

    def _order(self, frame: "Frame") -> None:
        cause = self._is_this_round(frame) and self._engine.order(frame.type, frame.values)
        if cause:
            self._refuse(frame, cause, *self._engine.role.refused())

    def _is_this_round(self, frame: "Frame") -> bool:
        if frame.round == self._store.round:
            return True
        self._refuse(frame, m.REFUSAL_WRONG_ROUND, frame.round, self._store.round)
        return False

    def _clear_fault(self, frame: "Frame") -> None:
        code = frame.values[0]
        if not self._interlock.clear(code, self._engine.role, self._now_us()):
            self._refuse(frame, m.REFUSAL_OUT_OF_RANGE, code, MEMORY_DAMAGED, FIRMWARE_MISMATCH)

    def _lock(self, frame: "Frame") -> None:
        role = self._engine.role
        role.raise_fault(FIRMWARE_MISMATCH, m.UNKNOWN_U8, 0, 0, self._now_us())

    def _start_session(self, frame: "Frame") -> None:
        trust = self._trust
        session = trust.session
        if session is not None:
            self._host.begin()
            if trust.ended is not None and trust.host != frame.values[0]:
                self._transmitter.send_sealed(m.SESSION_ENDED, frame.values, trust.ended)
            trust.host, trust.ended = frame.values[0], None
            self._transmitter.send_sealed(m.SESSION_STARTED, (), session.table)
            self._transmitter.begin(session.table)

    def _answer(self, frame: "Frame", cause: int, first: int, last: int) -> None:
        # What the role refused; a phase between first and last would be allowed.
        if cause == m.REFUSAL_FAULT_ACTIVE:
            faults = self._engine.role.faults() + self._faults.late
            self._refuse(frame, cause, faults, 0)
        elif cause == m.REFUSAL_JOURNAL_FULL:
            self._refuse(frame, cause, self._transmitter.outbox.waiting, 0, SLOTS)
        elif cause:
            self._refuse(frame, cause, self._engine.role.phase, first, last)

    def _refuse(
        self,
        frame: "Frame",
        cause: int,
        value: int,
        low: int,
        high: "int | None" = None,
        key: int = 0,
    ) -> None:
        # Without a high limit the low one is the only allowed value.
        if high is None:
            high = low
        values = [frame.type, frame.counter, cause, signed(value), signed(low), signed(high), key]
        self._transmitter.send_volatile(m.REFUSAL, values)
