"""The console of a table in play, opened by the maintenance switch or by command; seldom loaded.

While it is open fault 507 stands: the open round is void, no other opens, and a power cut changes
nothing of that. The fault clears when nothing wants the console open and the host was told.
"""

from tablewire import codes
from tablewire import messages as m
from tablewire.compat import const

from .faults import RESERVE

# Control steps of 40 ms for which the switch must rest: 0.12 s turned, 1 s turned back.
_TURNED = const(3)
_BACK = const(25)


class Maintenance:
    """table: table.Table. wanted: opened by command, not closed since; held: the switch is turned.

    is_open: the console is, or the host has still to hear of it. What a command opened stays open
    over a power cut, what the switch opened while it is held.
    """

    def __init__(self, table: object) -> None:
        self._table = table
        self._console = table.hal.console
        self._switch = table.hal.switch
        self._sensor = m.UNKNOWN_U8  # the switch, or unknown
        self.wanted = self.held = self.is_open = False
        stood = table.store.faults
        if codes.MAINTENANCE_OPEN in stood[::2]:
            self._sensor = stood[stood[::2].index(codes.MAINTENANCE_OPEN) * 2 + 1]
            self.wanted = self._sensor != m.INPUT_MAINTENANCE
            self.held = table.trust.held = self._switch.level() == 1
            self.is_open = True
        self._steps = 0  # for which the switch has read other than held
        self._is_told = False  # that the console is open

    def check(self, now_us: int) -> bool:
        """Called with every control step while there is something to do; else False."""
        self._look()
        if self.held or self.wanted:
            if not self.is_open:
                self._open(now_us)
        elif self.is_open and self._is_told:
            self._close(now_us)
        if self.is_open and not self._is_told:
            self._is_told = self._tell(m.MAINTENANCE_OPEN)
        return self.is_open or self.held or self.wanted or self._steps > 0

    def _look(self) -> None:
        if (self._switch.level() == 1) == self.held:
            self._steps = 0
            return
        self._steps += 1
        if self._steps >= (_BACK if self.held else _TURNED):
            self._steps = 0
            self.held = self._table.trust.held = not self.held

    def _open(self, now_us: int) -> None:
        self._sensor = m.INPUT_MAINTENANCE if self.held else m.UNKNOWN_U8
        # The round is void and the fault on flash before the console opens.
        self._table.role.raise_fault(codes.MAINTENANCE_OPEN, self._sensor, 1, 0, now_us)
        self._console.set(True)
        self.is_open, self._is_told = True, False

    def _close(self, now_us: int) -> None:
        self._console.set(not self._console.production)
        if self._tell(m.MAINTENANCE_CLOSED):
            self.is_open = False
            self._table.role.clear_fault(codes.MAINTENANCE_OPEN, now_us)

    def _tell(self, state: int) -> bool:
        post = self._table.post
        values = [state, self._sensor]
        return post.outbox.room() > RESERVE and post.durable(m.MAINTENANCE_CHANGED, values)
