"""Inputs besides the wheel: tilt, dome, table button, and edges no machine can make."""

from tablewire import codes, config
from tablewire import messages as m
from tablewire.compat import const

from .ticks import diff

if -0:  # for mypy
    from tabletypes import Config

    from .round import RoundControl

_CLOSE_MS = const(100)
_OPEN_MS = const(1000)
_NO_BURST_MS = const(5000)
_VOID_PRESS_MS = const(1500)
_PRESS_US = const(20000)
_TICK_MS = const(40)


class Contact:
    """closed: the debounced level. A contact closes after 100 ms and opens after 1 s of rest.

    fitted: whether there is one.
    """

    def __init__(self, fitted: int = 1) -> None:
        self.fitted = fitted
        self.level = 0
        self.closed = False
        self.since_ms = 0

    def edge(self, level: int, now_ms: int) -> None:
        """The raw level changed."""
        if level != self.level:
            self.level = level
            self.since_ms = now_ms

    def tick(self, now_ms: int) -> bool:
        """Debounce; True when `closed` changed."""
        rest = diff(now_ms, self.since_ms)
        if self.level and not self.closed and rest >= _CLOSE_MS:
            self.closed = True
            return True
        if self.closed and not self.level and rest >= _OPEN_MS:
            self.closed = False
            return True
        return False


class Plausible:
    """Counts edges of all sensors, and tracks the most frequent one (Boyer and Moore's vote).

    limit: edges in a tick of 40 ms that are plausible; a tick that comes late may have as many
    times more. edges: since the last tick. leader: the sensor that made most of a burst.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.edges = 0
        self.leader = 0
        self._lead = 0
        self._burst_ms = 0

    def edge(self, sensor: int) -> None:
        """An edge of any kind on a sensor."""
        self.edges += 1
        if sensor == self.leader:
            self._lead += 1
        elif self._lead:
            self._lead -= 1
        else:
            self.leader = sensor

    def is_burst(self, now_ms: int, step_ms: int) -> bool:
        """Whether there were too many edges since the last tick, step_ms ago."""
        if self.edges <= self.limit * max(step_ms // _TICK_MS, 1):
            return False
        self._burst_ms = now_ms
        return True

    def begin(self) -> None:
        """Start counting again."""
        self.edges = 0
        self._lead = 0

    def is_quiet(self, now_ms: int) -> bool:
        """Whether five seconds passed since the last burst."""
        return diff(now_ms, self._burst_ms) > _NO_BURST_MS


class Inputs:
    """Turns contacts and implausible edges into faults, and presses of the button into orders.

    Button: a short press opens or closes the bets; held for 1.5 s it voids the round. Shorter than
    20 ms it is no press but a bounce, a spike, or half a wave of the mains on a loose wire.
    at_rest: no contact and no button waits for time to pass; see core.snapshot.
    """

    def __init__(self, cfg: "Config", control: "RoundControl", edges_most: int) -> None:
        self._control = control
        self.plausible = Plausible(edges_most)
        self._tilt = Contact(cfg[config.TILT_FITTED])
        self._dome = Contact(cfg[config.DOME_FITTED])
        self._pressed = False
        self._pressed_ms = 0
        self._pressed_us = 0
        self.at_rest = False

    def hold(self, code: int) -> bool:
        """Keep a contact's fault active until the contact opens. False: it is not fitted."""
        if code not in (codes.TILT, codes.DOME_OPEN):
            return True
        contact = self._tilt if code == codes.TILT else self._dome
        self.at_rest = False
        contact.closed = bool(contact.fitted)
        contact.since_ms = self._control.now_ms
        return contact.closed

    def edge(self, sensor: int, level: int, t_us: int) -> bool:
        """Tilt, dome or button switched; True at the end of a short press."""
        now_ms = self._control.now_ms
        self.at_rest = False
        if sensor == m.INPUT_TILT:
            self._tilt.edge(level, now_ms)
        elif sensor == m.INPUT_DOME:
            self._dome.edge(level, now_ms)
        elif sensor == m.INPUT_BUTTON:
            was_pressed = self._pressed
            self._pressed = bool(level)
            if level and not was_pressed:
                self._pressed_ms = now_ms
                self._pressed_us = t_us
            return was_pressed and not level and diff(t_us, self._pressed_us) >= _PRESS_US
        return False

    def tick(self) -> None:
        """Time passed: debounce, void by a long press, raise and clear faults."""
        control, odd = self._control, self.plausible
        tilt, dome = self._tilt, self._dome
        now_ms = control.now_ms
        if self._pressed and diff(now_ms, self._pressed_ms) >= _VOID_PRESS_MS:
            self._pressed = False
            control.void(codes.CROUPIER_VOID, m.INPUT_BUTTON)
        if tilt.level != tilt.closed and tilt.tick(now_ms):
            self._switch(tilt, codes.TILT, m.INPUT_TILT)
        if dome.level != dome.closed and dome.tick(now_ms):
            self._switch(dome, codes.DOME_OPEN, m.INPUT_DOME)
        self.at_rest = (
            not self._pressed and tilt.level == tilt.closed and dome.level == dome.closed
        )
        if odd.edges > odd.limit and odd.is_burst(now_ms, control.step_ms):
            control.raise_fault(codes.SENSOR_IMPLAUSIBLE, odd.leader, odd.edges, odd.limit)
        elif control.faults.count and odd.is_quiet(now_ms):
            control.clear_fault(codes.SENSOR_IMPLAUSIBLE)
        if odd.edges:
            odd.begin()

    def _switch(self, contact: Contact, code: int, sensor: int) -> None:
        if contact.closed and contact.fitted:
            self._control.raise_fault(code, sensor, 1, 0)
        elif contact.fitted:
            self._control.clear_fault(code)
