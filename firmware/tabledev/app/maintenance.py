"""The console of a table in play, opened by the maintenance switch or by command; rarely loaded.

While it is open fault 507 is active: the open round is void, no other opens, and a power cut does
not change that. The fault clears when nothing requests the console and the host was informed.
"""

from tablewire import codes
from tablewire import messages as m
from tablewire.compat import const

from .fault_log import RESERVE

if -0:  # for mypy
    from tabletypes import Console, Switch, TableRole

    from .store import Store
    from .transmitter import Transmitter
    from .trust import Trust

# Equal readings of the switch, one each 80 ms: 0.16 s turned, 1 s turned back.
_TURNED = const(2)
_BACK = const(13)


class Maintenance:
    """wanted: opened by command, not closed since; held: the switch is turned.

    console, switch: see hal; store, trust, transmitter: those of the table. is_open: the console
    is, or the host has not been sent the closing yet. After a power cut the console stays open if
    a command opened it, and while the switch is turned.
    """

    def __init__(
        self,
        console: "Console",
        switch: "Switch",
        store: "Store",
        trust: "Trust",
        transmitter: "Transmitter",
    ) -> None:
        self._console = console
        self._switch = switch
        self._trust = trust
        self._transmitter = transmitter
        self._sensor = m.UNKNOWN_U8  # the switch, or unknown
        self.wanted = self.held = self.is_open = False
        stored = store.faults
        if codes.MAINTENANCE_OPEN in stored[::2]:
            self._sensor = stored[stored[::2].index(codes.MAINTENANCE_OPEN) * 2 + 1]
            self.wanted = self._sensor != m.INPUT_MAINTENANCE
            self.held = trust.held = self._switch.level() == 1
            self.is_open = True
        self._steps = 0  # readings at which the switch was other than held
        self._is_reported = False  # that the console is open

    def check(self, role: "TableRole", now_us: int) -> bool:
        """Called every 80 ms while there is something to do; else False."""
        self._read_switch()
        if self.held or self.wanted:
            if not self.is_open:
                self._open(role, now_us)
        elif self.is_open and self._is_reported:
            self._close(role, now_us)
        if self.is_open and not self._is_reported:
            self._is_reported = self._report(m.MAINTENANCE_OPEN)
        return self.is_open or self.held or self.wanted or self._steps > 0

    def _read_switch(self) -> None:
        if (self._switch.level() == 1) == self.held:
            self._steps = 0
            return
        self._steps += 1
        if self._steps >= (_BACK if self.held else _TURNED):
            self._steps = 0
            self.held = self._trust.held = not self.held

    def _open(self, role: "TableRole", now_us: int) -> None:
        self._sensor = m.INPUT_MAINTENANCE if self.held else m.UNKNOWN_U8
        # The round is void and the fault on flash before the console opens.
        role.raise_fault(codes.MAINTENANCE_OPEN, self._sensor, 1, 0, now_us)
        self._console.set(True)
        self.is_open, self._is_reported = True, False

    def _close(self, role: "TableRole", now_us: int) -> None:
        self._console.set(not self._console.production)
        if self._report(m.MAINTENANCE_CLOSED):
            self.is_open = False
            role.clear_fault(codes.MAINTENANCE_OPEN, now_us)

    def _report(self, state: int) -> bool:
        values = [state, self._sensor]
        return self._transmitter.outbox.room() > RESERVE and self._transmitter.send_durable(
            m.MAINTENANCE_CHANGED, values
        )
