"""One table: combines all parts; its three tasks are plain functions."""

import gc

from tablelogic.core.engine import Engine
from tablewire import codes
from tablewire import messages as m
from tablewire.codec import Frame, UnreadFrame
from tablewire.config import ROLE
from tablewire.framing import Receiver
from tablewire.sender import Sender
from tablewire.settings import entry

from .commands import Commands
from .controller import Controller
from .fault_log import EdgeWatch, Faults
from .outbox import Journal, Outbox
from .reports import Reports
from .round_interlock import RoundInterlock
from .store import Store
from .traces import Traces
from .transmitter import Transmitter
from .trust import SUPERSEDED, HostWatch, Trust
from .version import RELEASE

if -0:  # for mypy
    from tabletypes import Hal, Handlers, Machine, MakeRole, Refuse, Steps, Sure, TableRole

    from .sight import Sight

_OF_MACHINE = (m.INPUT_3, m.INPUT_4)  # whose pins its serial line has


class Table:
    """hal: hal.Hal; make_role(config, out) makes the logic (roles.make_role).

    engine: runs the role, a new one after every change of the configuration.
    """

    def __init__(self, hal: "Hal", make_role: "MakeRole") -> None:
        self.hal = hal
        self._ticks_us = hal.clock.ticks_us
        self._make_role = make_role
        self.store = Store(hal.flash, hal.serial, hal.random)
        self.trust = Trust(hal.flash, hal.random, self.store)
        outbox = Outbox(Journal(hal.flash))
        self._lost = outbox.restore()  # records
        damaged = self.store.damaged or self.trust.damaged or self._lost > 0
        self.store.settle(outbox.last_round(), damaged=damaged)
        outbox.sweep()  # what a power cut tore
        sender = Sender(self.store.serial, self.store.boot)
        self.transmitter = Transmitter(sender, outbox, hal.link, hal.clock, self.trust.number > 0)
        sender.role = self.store.config[ROLE]
        self.host = HostWatch(self.transmitter, hal.clock)
        self.faults = Faults(self.transmitter, self.store)
        self.interlock = RoundInterlock(
            hal, self.store, self.trust, self.transmitter, self.faults, self.host
        )
        self._controller = Controller(
            self.store, self.transmitter, self.faults, hal.lamp, self._may_open
        )
        self.engine = Engine(hal.trace, self._controller)
        self.reports = Reports(hal, self.store.config[ROLE], self.transmitter, self.trust)
        self.commands = Commands(
            self.engine,
            hal.clock,
            self.transmitter,
            self.store,
            self.trust,
            self.host,
            self.faults,
            self.interlock,
            self.reports,
            self._handlers(),
        )
        self.traces = Traces(self.engine, hal.flash, self.store, self.transmitter)
        self._watch = EdgeWatch(hal.ring, hal.inputs, hal.clock, self.faults)
        self._receiver = Receiver(verify=self.trust.verify)
        self._is_half_beat = True  # between two beats of 500 ms
        self._machine: "Sure[Machine]" = None  # with a serial line, once one is configured
        self.sight: "Sure[Sight]" = None  # of the camera, on a table that has one
        # An iterator, advanced one step in 80 ms while no ball runs.
        self.job: "Steps | None" = None
        self._asked: "Sure[Frame]" = None  # the command that began it
        self.computing: "Steps | None" = None  # an iterator, advanced in spare time between rounds
        # True while writes are made that only a boot can complete: where one of them is refused,
        # it stays True, no task runs any more and tasks.main ends the program.
        self.unfinished = False

    @property
    def role(self) -> "TableRole":
        """The running logic."""
        return self.engine.role

    def start(self) -> None:
        """Send the identity, void a round that a power cut left open, and start to play."""
        self.reports.identity()
        changed = self.transmitter.outbox.newest((m.CONFIGURATION_CHANGED,))
        if changed is not None:
            from . import configure  # rare, so not always in memory

            configure.finish(self, changed)
        self._controller.interrupted()
        for item in self.hal.inputs:
            item.start()
        self.begin()
        if RELEASE < self.store.highest:
            release_facts = (RELEASE, self.store.highest, self.now_us())
            self.role.raise_fault(codes.FIRMWARE_ROLLBACK, m.UNKNOWN_U8, *release_facts)
        elif self.faults.is_active(codes.FIRMWARE_ROLLBACK):
            self.role.clear_fault(codes.FIRMWARE_ROLLBACK, self.now_us())
        use = int(self.hal.console.production)
        self.reports.booted = [self.hal.reset_cause, RELEASE, self.store.highest, use]

    def begin(self) -> None:
        """Start the role with the configuration in force and the active faults."""
        self.faults.restart()
        self.engine.stop()
        if self.sight is not None:
            self.sight.close()
            self.sight = None
        gc.collect()  # the heap must never contain two roles
        self.engine.begin(self._make_role, self.store.config)
        self.faults.know(self.role.own_faults)
        self.reports.role = self.transmitter.sender.role = self.store.config[ROLE]
        self._attach()
        now_us = self.now_us()
        if not self.store.configured:
            self.role.raise_fault(codes.NOT_CONFIGURED, m.UNKNOWN_U8, 0, 1, now_us)
        stood = self.store.faults
        for place in range(0, len(stood), 2):
            code = stood[place]
            if code != codes.NOT_CONFIGURED:
                value = self._lost if code == codes.MEMORY_DAMAGED else 0
                self.role.raise_fault(code, stood[place + 1], value, 0, now_us)
        # A wheel that turns while its role is loaded (0.3 s) would be a burst of edges to it.
        self.hal.ring.clear()
        for item in self.hal.inputs:
            if item.level():
                self.role.edge(item.sensor, 1, now_us)
        self.interlock.begin()
        self.faults.report()
        self.unfinished = False

    def _may_open(self) -> bool:
        # A round would be recorded over the trace of the one before.
        return not self.engine.done and self.interlock.may_open()

    def now_us(self) -> int:
        """The clock that the role is given."""
        return self.hal.clock.ticks_us()

    def start_job(self, job: "Steps | None", frame: "Frame") -> None:
        """Replace the long job.

        job: an iterator, see `job`; frame: the command that requested it.
        """
        self.engine.tap(None)
        self.job, self._asked = job, frame

    def _handlers(self) -> "Handlers":
        handlers: "Handlers" = {m.FETCH_TRACE: self._fetch_trace}
        for ident in (m.GET_CONFIGURATION, m.SET_CONFIGURATION, m.FACTORY_CONFIGURATION):
            handlers[ident] = self._configure
        for ident in (m.SET_KEY, m.OFFER_KEY, m.CONFIRM_KEY):
            handlers[ident] = self._change_key
        for ident in (m.ATTEST, m.MAINTENANCE, m.SELF_TEST, m.FETCH_PICTURE):
            handlers[ident] = self._service
        return handlers

    def _configure(self, frame: "Frame", refuse: "Refuse") -> None:
        number = frame.values[0] if frame.type == m.GET_CONFIGURATION else 0
        if entry(number) is None:
            from . import configure  # rare, so not always in memory

            configure.obey(self, frame, refuse)
        else:
            self.report_value(number, self.store.config[number])

    def report_value(self, number: int, previous: int) -> None:
        """Send the value of a key, its limits, and its previous value."""
        low, high, _ = entry(number)  # type: ignore[misc]  # the key exists
        self.transmitter.send_volatile(
            m.CONFIGURATION, [number, self.store.config[number], previous, low, high]
        )

    def _change_key(self, frame: "Frame", refuse: "Refuse") -> None:
        from . import key_change  # rare, so not always in memory

        key_change.obey(self, frame, refuse)

    def _service(self, frame: "Frame", refuse: "Refuse") -> None:
        from . import service  # rarely needed

        service.obey(self, frame, refuse)

    def _fetch_trace(self, frame: "Frame", refuse: "Refuse") -> None:
        number, offset = frame.values
        phase = self.role.phase
        # Reading would delay the judgement of a running ball, and 28 reads no more bets.
        last = m.PHASE_BETS_OPEN if self.traces.is_read(number, offset) else m.PHASE_CLOSED
        if phase > last:
            refuse(frame, m.REFUSAL_WRONG_PHASE, phase, m.PHASE_CLOSED, last)
        else:
            self.traces.send(number, offset)

    def _attach(self) -> None:
        # A machine with a serial line uses the pins of two inputs, and returns them.
        if self._machine is not None:
            self._machine.close()
            self._machine = None
            for item in self.hal.inputs:
                item.start()
        if self.role.report is not None:
            for item in self.hal.inputs:
                if item.sensor in _OF_MACHINE:
                    item.stop()
            self._machine = self.hal.open_machine(self.role.driver)
        if self.role.has_camera:
            from .sight import Sight  # with the reader behind it, too large for other tables

            self.sight = Sight(self.hal, self.store.config, self.engine, self.transmitter)

    def _poll_machine(self) -> None:
        role = self.role
        if self._machine.poll(role.report):
            self.engine.order(role.report_message, role.report)
            if role.sends_reports:
                self.transmitter.send_volatile(role.report_message, role.report)

    def control(self) -> bool:
        """Every 40 ms: process the sensor inputs, in order of time, then the time itself.

        Returns whether long work may wait.
        """
        hal, engine = self.hal, self.engine
        role = engine.role
        now_us = engine.trace.rounded(self._ticks_us())
        engine.sense(now_us, hal)
        sight = self.sight
        if sight is not None:
            sight.step(self.job)
        watch = self._watch
        if hal.ring.lost != watch.lost or self.faults.count:
            watch.check(role, now_us)
        engine.tick(now_us)
        interlock = self.interlock
        if interlock.verified or role.control.phase == m.PHASE_CLOSED:
            interlock.check(role, now_us)
        return self.sight is not None or self.computing is not None

    def watch(self) -> int:
        """Between control steps: see the engine's urgency()."""
        return self.engine.urgency(self.hal)

    def work(self) -> bool:
        """In the rest of a control step: one step of long work; returns whether more waits."""
        if self.sight is not None and self.sight.work():
            return True
        if self.computing is None or self.role.phase != m.PHASE_CLOSED:
            return False
        if next(self.computing, self) is self:
            self.computing = None
        return self.computing is not None

    def exchange(self) -> None:
        """Every 80 ms: process received frames, send what waits."""
        data = self.hal.link.read()
        for item in self._receiver.feed(data) if data else ():
            if isinstance(item, Frame):
                self.commands.take(item)
            elif isinstance(item.frame, UnreadFrame) and self.trust.vouches_for(item.frame):
                self.commands.not_understood(item.frame)
            elif item.frame is not None and self.trust.number and item.reason != SUPERSEDED:
                self.commands.suspect(item)
        role = self.engine.role
        if self.host.check() and role.bets_open:
            role.close_bets(m.CLOSE_CAUSE_HOST_SILENT, self.now_us())
        self.interlock.poll(role, self._ticks_us())
        if self._machine is not None:
            self._poll_machine()
        self.transmitter.pump()
        # Not while a ball runs: freeing flash can delay the edges.
        if role.phase <= m.PHASE_BETS_OPEN:
            # A task that stopped may have recorded what the counters on flash do not have yet.
            if not self.faults.is_active(codes.TASK_STOPPED):
                self.transmitter.outbox.sweep()
            if self.commands.tamper is not None:
                self.commands.tamper.report(role, self.now_us())
            if self.engine.done:
                self.traces.save(self.sight)
            try:
                if self.job is not None and next(self.job, self) is self:
                    self.job = None
            except MemoryError as error:
                self.start_job(None, self._asked)
                self.commands.refuse_for_memory(self._asked, error)

    def beat(self) -> None:
        """Every 250 ms: every second time a heartbeat, and every time while bets are open."""
        self._is_half_beat = not self._is_half_beat
        if not self._is_half_beat:
            self.heartbeat()
        elif self.role.bets_open:
            self._send_heartbeat()

    def heartbeat(self) -> None:
        """Every 500 ms: send a sign of life."""
        self._watch.rearm()
        self.faults.beat()
        if self.role.phase <= m.PHASE_BETS_OPEN:
            self.reports.boot()
        self._send_heartbeat()

    def _send_heartbeat(self) -> None:
        if self.transmitter.silent:  # a listener must see that there is a table
            self.reports.identity()
            return
        skipped = self._receiver.skipped + self.commands.skipped + self.hal.link.overruns
        self.reports.heartbeat(self.role, self.hal.ring.lost, skipped)

    def set_stopped(self, stopped: bool, place: int, number: int, is_memory: bool) -> None:
        """Note that a task stopped, or that all have run for ten seconds since.

        number: how often a task stopped; or the missing bytes, if memory was the cause.
        """
        role, now_us = self.role, self.now_us()
        before = self.unfinished
        self.unfinished = True
        if stopped:
            code = codes.MEMORY_SHORT if is_memory else codes.TASK_STOPPED
            role.raise_fault(code, m.UNKNOWN_U8, place, number, now_us)
        else:
            role.clear_fault(codes.TASK_STOPPED, now_us)
            role.clear_fault(codes.MEMORY_SHORT, now_us)
        self.unfinished = before
