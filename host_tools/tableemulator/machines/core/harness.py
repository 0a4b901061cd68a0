"""What every emulated table shares: time, the controller board, the line, the pit host.

Time moves in slices: a slice's sensor events go to the board, what its UART sent is recorded, read
and acknowledged, people act on what was shown. Any board with the rig's interface serves. What is
played on it, and by whom, is in the folder of each role.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import tablespec.host_tables  # noqa: F401  (every role's messages, checked quicker)
from tablewire import codes, messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

from .emulated_pit import PitHost
from .planned import Planned
from .sensor_lines import Event

# One slice: an acknowledgement comes well within the 2 s after which a record is repeated.
SLICE_US = 1_500_000
# One slice when paced by the wall clock: what the table sends comes out that late at most.
PACED_SLICE_US = 20_000
# Longest waits before the table counts as stalled.
OPEN_WITHIN_US = 180_000_000
END_WITHIN_US = 240_000_000
# When something happens, in seconds after the machine was set in motion.
STEADY_S = (3.0, 7.0)
FROM_TABLE, TO_TABLE = "<", ">"


class TableStalled(RuntimeError):
    """The controller did not open or end a round in time, or one too many."""


class Output(Protocol):
    """What a board did in one slice of time."""

    @property
    def tx(self) -> Sequence[tuple[int, bytes]]: ...

    @property
    def errors(self) -> str: ...


class Controller(Protocol):
    """The controller as a table reaches it; Output is what came out since the last one."""

    def write_file(self, name: str, data: bytes) -> None:
        """Put a file on its flash while it is off, as a technician does at its prompt."""

    def switch_on(self) -> Output: ...

    def play(self, events: list[Event], until_us: int) -> Output:
        """Let time pass to until_us with these events."""

    def cut_power(self, *, damage: bool, full: bool) -> Output:
        """Power off and on; damage: the stored configuration is spoilt; full: the journal is."""

    def boot_release(self, *, behind: int) -> Output:
        """Power off and on, with a program so many releases behind the newest that ran."""

    def rot_memory(self) -> None:
        """Damage both copies of a critical record."""

    def provision(self) -> Output:
        """Write the configuration again and start."""

    def stop_task(self, *, memory: bool) -> None:
        """Make a task of the program fail; memory: for want of that."""

    def trace(self, number: int) -> bytes | None: ...


class Model(Protocol):
    """The machine on the table, in virtual time."""

    @property
    def now_us(self) -> int: ...

    def events_until(self, t_us: int) -> list[Event]: ...


# Something done to a table, by people or by chance.
Act = Callable[[Any], None]
# Hears the UART: time in microseconds, FROM_TABLE or TO_TABLE, bytes.
Listener = Callable[[int, str, bytes], None]


@dataclass(slots=True, kw_only=True)
class Plan:
    """One round as people mean to play it; a fault bends it. Times: microseconds since power-on.

    incidents: what else happens, (time, act). repair: what a technician does afterwards. fault:
    the name of the fault.
    """

    rng: random.Random
    incidents: list[tuple[int, Act]] = field(default_factory=list)
    repair: Act | None = None
    fault: str | None = None

    def add_incident(self, seconds: float, act: Act) -> None:
        """Have something happen so many seconds after the machine was set in motion."""
        raise NotImplementedError

    def draw_running_s(self) -> float:
        """Draw a time at which the machine runs steadily, for add_incident."""
        return self.rng.uniform(*STEADY_S)

    def while_running(self, act: Act) -> None:
        """Have something happen while the machine runs steadily."""
        self.add_incident(self.draw_running_s(), act)


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one round, as the table reports it; each role adds what happened.

    fault: what was provoked in it. ended: the frame of the result or void. faults: codes of the
    faults raised meanwhile.
    """

    fault: str | None
    ended: Frame
    faults: tuple[int, ...]

    @property
    def reason(self) -> int | None:
        """Return the code of the void, None if the table reported a result."""
        if self.ended.type != messages.ROUND_VOID:
            return None
        reason: int = self.ended.values[0]
        return reason


class Harness:
    """One table.

    listen: called with all UART bytes. pace: called after each slice, may wait and may send.
    slice_us: length of a slice, None: a second, or 20 ms where the wall clock paces the table.
    acknowledge: act as the pit host that stores every durable record. key: of the controller, 32
    bytes, with which that host begins its sessions; None for a controller without one. command:
    how another host builds its commands, None for that of this table. earlier: boot and counter of
    records from before this start: they are acknowledged and belong to no round that is played.
    errors: what the board's program wrote as errors; a healthy one leaves it empty. active_faults:
    codes of the faults that are active; in each boot the table reports all of them.
    end_within_us: the longest round of its kind.
    """

    end_within_us = END_WITHIN_US

    def __init__(
        self,
        controller: Controller,
        model: Model,
        seed: int | str,
        *,
        listen: Listener | None = None,
        pace: Callable[[Any], None] | None = None,
        slice_us: int | None = None,
        acknowledge: bool = True,
        key: bytes | None = None,
        command: Callable[[int, tuple[int, ...]], bytes] | None = None,
        earlier: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        self.controller = controller
        self.seed = seed
        self.errors: list[str] = []
        self.is_keyed = key is not None
        self.model = model
        self._listen = listen or _hear_nothing
        self._pace = pace
        # In real time a host may be away, and a user may keep the table closed, for any time.
        self._is_patient = pace is not None and slice_us is None
        self._slice_us = slice_us or (PACED_SLICE_US if pace else SLICE_US)
        self._receiver = Receiver()
        self._pit = PitHost(key, random.Random(f"{seed}/pit").randbytes)
        self._acknowledge = acknowledge
        self._command = command or self._pit.command
        self._has_host = acknowledge or command is not None
        self._incoming: list[Event] = []
        self._line_free_us = 0
        self.agenda: Planned[Act] = Planned()
        self._plan: Any = None  # of the round that is being played
        self._counters: set[tuple[int, int]] = set()
        self._earlier = earlier
        self._opened: Frame | None = None
        self._ended: list[tuple[int, Frame]] = []
        self._faults: list[int] = []
        self.active_faults: set[int] = set()
        self._boot = 0  # that they are of
        self._take(controller.switch_on())

    # --- time -------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Return the present, microseconds since power-on."""
        return self.model.now_us

    def step(self, until_us: int) -> None:
        """Let time pass to the next thing to do, at most to until_us."""
        until_us = min(until_us, self.now_us + self._slice_us)
        first_us = self.agenda.first_us()
        if first_us is not None:
            until_us = min(until_us, max(first_us, self.now_us))
        events = self.model.events_until(until_us)
        events += [event for event in self._incoming if event[0] <= until_us]
        self._incoming = [event for event in self._incoming if event[0] > until_us]
        output = self.controller.play(events, until_us)
        if self._pace is not None:
            self._pace(self)  # first: nothing comes out before its time
        self._take(output)
        for _, act in self.agenda.take(self.now_us):
            act(self)

    def send(self, data: bytes, at_us: int = 0) -> None:
        """Send bytes to the board's UART; they take their time on the line, in their order.

        at_us: when they came, if that is later than now: a table behind the wall clock receives
        them in its future, or its clock would seem to step.
        """
        begins_us = max(self.now_us, at_us, self._line_free_us)
        arrives_us = begins_us + len(data) * 10 * 1_000_000 // 115_200
        self._line_free_us = arrives_us
        self._listen(self.now_us, TO_TABLE, data)
        self._incoming.append([arrives_us, "rx", 0, data.hex()])

    def set_converter(self, adc: int, raw: int) -> None:
        """Have a GPIO or channel of the board's converter read raw, 0..65535, from now on."""
        self._incoming.append([self.now_us, "adc", adc, raw])

    def schedule(self, t_us: int, act: Act) -> None:
        """Have hands act on the table at a time."""
        self.agenda.add(max(t_us, self.now_us), act)

    # --- rounds -----------------------------------------------------------------------------

    def wait_for_host(self) -> None:
        """On a port: let time pass until a host has begun a session; before it nothing is said."""
        while self._pace is not None and not self._has_host and not self._counters:
            self.step(self.now_us + SLICE_US)

    def _begin_round(self) -> int:
        """Return the number of the open round; what was reported before it is forgotten."""
        self.wait_for_others(lambda: self._opened is not None, "open a round")
        opened, self._opened = self._opened, None
        self._ended, self._faults = [], []
        assert opened is not None
        return opened.round

    def _until_ended(self, plan: Any) -> tuple[int, Frame]:
        """Wait for the end of the round that is played so: when it came, and its frame."""
        self._plan = plan
        self.wait(lambda: bool(self._ended), self.end_within_us, "end the round")
        self._plan = None
        self.agenda.forget()
        return self._ended[0]

    def _follow(self, plan: Any, ended_us: int) -> object:
        """After a round: have people repair what broke, and bring back what was played with."""
        raise NotImplementedError

    def _verify_one_end(self) -> None:
        if len(self._ended) > 1:
            raise TableStalled("the table ended a round in which nobody played")

    def _wait_until(self, t_us: int) -> None:
        self.wait(lambda: self.now_us >= t_us, max(t_us - self.now_us, 1), "go on")

    def wait_for_others(self, done: Callable[[], bool], what: str) -> None:
        """Wait for what a host or a user has to do; in real time without a limit."""
        while self._is_patient and not done():
            self.step(self.now_us + SLICE_US)
        self.wait(done, OPEN_WITHIN_US, what)

    def wait(self, done: Callable[[], bool], within_us: int, what: str) -> None:
        """Let time pass until something is so. Raises TableStalled after within_us."""
        limit_us = self.now_us + within_us
        while not done():
            if self.now_us >= limit_us:
                raise TableStalled(
                    f"the table did not {what} within {within_us // 1_000_000} s"
                    f" (at {self.now_us / 1e6:.3f} s): {self.errors[-1:] or 'no error shown'}"
                )
            self.step(limit_us)

    def _take(self, output: Output) -> None:
        if output.errors:
            self.errors.append(output.errors)
        for when, data in output.tx:
            self._listen(when, FROM_TABLE, data)
            for frame in self._receiver.feed(data):
                if isinstance(frame, Frame):
                    self._read(when, frame)
                else:
                    self._answer(self._pit.ask())

    def _read(self, when: int, frame: Frame) -> None:
        self._answer(self._pit.hear(frame))
        if not frame.flags & messages.FLAG_DURABLE:
            return
        self._answer(self._pit.acknowledge(frame))
        if (frame.boot, frame.counter) in self._counters:
            return
        self._counters.add((frame.boot, frame.counter))
        if (frame.boot, frame.counter) in self._earlier:
            return
        self._follow_faults(frame)
        if frame.type == messages.ROUND_OPENED:
            self._opened = frame
        elif frame.type in messages.ROUND_ENDS:
            self._ended.append((when, frame))
            if self._opened is not None and self._opened.round == frame.round:
                self._opened = None  # a croupier who comes now has to wait for the next one
        elif frame.type == messages.FAULT_RAISED:
            self._faults.append(frame.values[0])

    def _follow_faults(self, frame: Frame) -> None:
        if frame.boot > self._boot:  # a record of an earlier boot may come after those of this one
            self._boot = frame.boot
            self.active_faults.clear()
        if frame.boot == self._boot and frame.type == messages.FAULT_RAISED:
            self.active_faults.add(frame.values[0])
        elif frame.boot == self._boot and frame.type == messages.FAULT_CLEARED:
            self.active_faults.discard(frame.values[0])

    def _answer(self, data: bytes) -> None:
        if data and self._acknowledge:
            self.send(data)

    # --- what hands reach around the controller ---------------------------------------

    def cut_power(self, *, damage: bool = False, full: bool = False) -> None:
        self._restart(self.controller.cut_power(damage=damage, full=full))

    def _restart(self, output: Output) -> None:
        self.active_faults.clear()  # those that are still active will be reported again
        self._take(output)

    def repair(self) -> None:
        """Put the machine in order, as after any round, where one was given up before its end."""
        plan, self._plan = self._plan, None
        self.agenda.forget()
        if plan is not None:
            self._follow(plan, self.now_us)

    def rot_memory(self) -> None:
        self.controller.rot_memory()

    def intrude(self) -> None:
        self.send(self._pit.forged(codes.CROUPIER_VOID))

    def boot_release(self, *, behind: int) -> None:
        self._restart(self.controller.boot_release(behind=behind))

    def order(self, ident: int, *values: int) -> None:
        """Send a command of the pit host; one that sends by itself leaves nothing to send here."""
        if data := self._command(ident, values):
            self.send(data)

    def restore_configuration(self) -> None:
        """Write the configuration again and start the controller."""
        self._restart(self.controller.provision())

    def stop_acknowledging(self) -> None:
        """The host is away: nothing it would have stored is acknowledged."""
        self._acknowledge = False

    def acknowledge_again(self) -> None:
        """It is back, and asks a table with a key for a session."""
        self._acknowledge = True
        self._answer(self._pit.ask())

    def order_void(self) -> None:
        """Send the pit host's command that voids the round."""
        self.order(messages.VOID_ROUND, codes.CROUPIER_VOID)

    def stop_task(self, *, memory: bool = False) -> None:
        self.controller.stop_task(memory=memory)


def _hear_nothing(_when: int, _direction: str, _data: bytes) -> None:
    pass
