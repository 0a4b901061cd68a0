"""Active faults and what the host knows of them.

A fault that comes and goes while the outbox is full is neither lost nor doubled: as soon as there
is room the present state is sent to the host.
"""

from tablelogic.core.ticks import diff
from tablewire.codes import EDGES_LOST, FAULT_CODES, JOURNAL_FULL
from tablewire.compat import const
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED, UNKNOWN_U8

if -0:  # for mypy
    from tabletypes import Clock, EdgeInput, Ring, Sure, TableRole, Values

    from .store import Store
    from .transmitter import Transmitter

_UNKNOWN_U32 = 0xFFFFFFFF
# Records reserved for the open round: bets closed, result or void, and one to spare.
RESERVE = const(3)
# A fault that comes and goes writes eight files. So this many clearings at once, then one each
# half minute: a chattering contact wears the flash little more than a busy night does.
_AT_ONCE = const(16)
_HALF_MINUTE = const(60)
_QUIET_MS = const(5000)  # without a lost edge


def _copy(records: "list[Sure[list[int]]]", place: int, values: "Values") -> None:
    if records[place] is None:
        records[place] = list(values)
    for index in range(len(values)):
        records[place][index] = values[index]


class Faults:
    """Passes fault records to the transmitter, one pair at a time per code.

    transmitter: transmitter.Transmitter; store: store.Store, which keeps active faults over a
    power cut. count: of the active ones. late: faults that are gone and still active for the host,
    because they come and go too often.
    """

    def __init__(self, transmitter: "Transmitter", store: "Store") -> None:
        self._transmitter = transmitter
        self._store = store
        self._codes: "tuple[int, ...]" = FAULT_CODES
        # Fields sent last, by index in _codes; a list each once the fault came.
        self._raised: "list[Sure[list[int]]]" = [None] * len(self._codes)
        self._cleared: "list[Sure[list[int]]]" = [None] * len(self._codes)
        self._active = bytearray(len(self._codes))
        self._reported = bytearray(len(self._codes))
        self.count = 0
        self._held = False  # between restart() and report()
        self.late = 0
        self._late = bytearray(len(self._codes))  # 1: gone, and still reported as active
        self._clearings = _AT_ONCE  # number that may be written now
        self._beats = 0

    def know(self, codes: "tuple[int, ...]") -> None:
        """Add the codes that only the running role can raise, after those of every role."""
        for code in codes:
            if code not in self._codes:
                self._codes += (code,)
                self._raised.append(None)
                self._cleared.append(None)
                self._active.append(0)
                self._reported.append(0)
                self._late.append(0)

    def is_active(self, code: int) -> int:
        """Return 1 while the fault is active, else 0."""
        return self._active[self._codes.index(code)] if self.count else 0

    def raised(self, values: "Values") -> None:
        """Note a raised fault; values: of fault_raised."""
        place = self._codes.index(values[0])
        if self._late[place]:
            self._late[place] = 0  # it came back before its clearing was sent
            self.late -= 1
        else:
            self._note(self._raised, values, 1)

    def cleared(self, values: "Values") -> None:
        """Note a cleared fault; values: of fault_cleared. Too frequent ones clear later."""
        if self._clearings:
            self._clearings -= 1
            self._note(self._cleared, values, 0)
            return
        place = self._codes.index(values[0])
        self._late[place] = 1
        self.late += 1
        _copy(self._cleared, place, values)

    def beat(self) -> None:
        """Called every 500 ms: one more clearing each half minute, at most 136 in an hour."""
        self._beats += 1
        if self._beats == _HALF_MINUTE:
            self._beats = 0
            self._clearings = min(self._clearings + 1, _AT_ONCE)
            self._catch_up()

    def restart(self) -> None:
        """Start a new role without faults. Call report() when its faults are known.

        Until then nothing is sent; then faults that are gone are sent as cleared, their time
        unknown. The new role takes over the faults in the store.
        """
        self._held = True
        self._late = bytearray(len(self._codes))
        self.late = 0
        for place in range(len(self._codes)):
            if self._active[place]:
                sensor = self._raised[place][1]
                _copy(self._cleared, place, (self._codes[place], sensor, _UNKNOWN_U32))
                self._active[place] = 0
        self.count = 0

    def report(self) -> None:
        """Send what the host does not know yet, as far as there is room."""
        if self._held:
            self._held = False
            self._keep()
        if self._active == self._reported:
            return
        for place in range(len(self._codes)):
            is_active = self._active[place]
            # A full journal is reported at once: no round is open that needs its places.
            least = 0 if self._codes[place] == JOURNAL_FULL else RESERVE
            if is_active != self._reported[place] and self._transmitter.outbox.room() > least:
                if is_active:
                    self._transmitter.send_durable(FAULT_RAISED, self._raised[place])
                else:
                    self._transmitter.send_durable(FAULT_CLEARED, self._cleared[place])
                self._reported[place] = is_active

    def _catch_up(self) -> None:
        for place in range(len(self._codes)):
            if self._late[place] and self._clearings:
                self._late[place] = 0
                self.late -= 1
                self.cleared(self._cleared[place])

    def _note(self, records: "list[Sure[list[int]]]", values: "Values", is_active: int) -> None:
        place = self._codes.index(values[0])
        _copy(records, place, values)
        self.count += is_active - self._active[place]
        self._active[place] = is_active
        if not self._held:
            # A fault is on flash before it is sent, and sent as cleared before it is removed.
            if is_active:
                self._keep()
            self.report()
            self._keep()

    def _keep(self) -> None:
        active: "list[int]" = []
        for place in range(len(self._codes)):
            if self._active[place]:
                active += self._raised[place][:2]
        self._store.keep_faults(active)


class EdgeWatch:
    """Edges lost because the ring was full: a fault until five quiet seconds have passed.

    ring: edges.EdgeRing; inputs, clock: see hal; faults: Faults.
    lost: ring.lost at the last check.
    """

    def __init__(
        self, ring: "Ring", inputs: "tuple[EdgeInput, ...]", clock: "Clock", faults: "Faults"
    ) -> None:
        self._ring = ring
        self._inputs = inputs
        self._clock = clock
        self._faults = faults
        self.lost = ring.lost
        self._last_ms = clock.ticks_ms()

    def rearm(self) -> None:
        """Look after the inputs; called every 500 ms.

        One of eleven in every control step would take as long, and more time in all.
        """
        for item in self._inputs:
            item.rearm()

    def check(self, role: "TableRole", now_us: int) -> None:
        """Raise or clear the fault; called when edges were lost and while a fault is active."""
        lost = self._ring.lost
        if lost != self.lost:
            self._last_ms = self._clock.ticks_ms()
            if not self._faults.is_active(EDGES_LOST):
                role.raise_fault(EDGES_LOST, UNKNOWN_U8, lost - self.lost, 0, now_us)
            self.lost = lost
        elif self._faults.is_active(EDGES_LOST):
            if diff(self._clock.ticks_ms(), self._last_ms) >= _QUIET_MS:
                role.clear_fault(EDGES_LOST, now_us)
