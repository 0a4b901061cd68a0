# mypy: ignore-errors
"""The emulated `machine` of an rp2 board: pins, timers, watchdog, clock, reset."""

import time

import _host
import rig
from serial import SPI, UART  # noqa: F401

PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5
# As the port of an RP2 reports them, and the register REASON of the chip: machine.reset() is a
# reset by the watchdog, and after a soft reset the cause is still that of the reset before.
_CAUSES = {"power": (PWRON_RESET, 0), "hard": (WDT_RESET, 2), "watchdog": (WDT_RESET, 1)}
_CTRL = 0x400D8000
_REASON = 0x400D8008

_levels = rig.levels
_pin_out = _host.pin_out  # found once: a look-up over the bridge takes longer than the call
_adc = _host.adc
_watchdog = _host.watchdog
_facts = {"cause": "power", "freq": 150_000_000, "id": b"TABLE\x00\x00\x01"}


def _is_hard(hard):
    return 16 if hard else 0


class _Irq:
    """What Pin.irq returns: the edges it listens to."""

    def __init__(self, pin):
        self._pin = pin

    def flags(self):
        """The edge that has just been seen: IRQ_RISING or IRQ_FALLING."""
        return Pin.IRQ_RISING if _levels[self._pin.number] else Pin.IRQ_FALLING

    def trigger(self):
        return self._pin.edges


_OUT = 1  # found sooner than an attribute of the class
_READ = -1  # in the place of a level: compared in half the time of None


class Pin:
    """A GPIO by number (or "GP<number>"); one object for each number."""

    IN = 0
    OUT = _OUT
    OPEN_DRAIN = 2
    PULL_UP = 1
    PULL_DOWN = 2
    IRQ_FALLING = 4
    IRQ_RISING = 8

    def __new__(cls, number, *args, **kwargs):
        number = int(number[2:]) if isinstance(number, str) else number
        if not 0 <= number < len(rig.pins):
            raise ValueError("invalid pin")
        pin = rig.pins[number]
        if pin is None:
            pin = rig.pins[number] = object.__new__(cls)
            pin.number = number
            pin.edges = 0
            pin._mode = Pin.IN
            pin._irq = _Irq(pin)
        return pin

    def __init__(self, number, mode=-1, pull=-1, *, value=None, alt=None):
        if mode != -1 or pull != -1 or value is not None:
            self.init(mode, pull, value=value)

    def __repr__(self):
        return f"Pin(GPIO{self.number})"

    def init(self, mode=-1, pull=-1, *, value=None, alt=None):
        if mode != -1:
            self._mode = mode
        if self._mode == Pin.OUT:
            self.value(_levels[self.number] if value is None else value)
        else:
            _host.pin_in(self.number, pull if pull in (1, 2) else 0)

    def value(self, level=_READ, levels=_levels, out=_pin_out):
        """Read the level, or set it; level is the only argument."""
        if level < 0:
            return levels[self.number]
        number = self.number
        level = 1 if level else 0
        if self._mode == _OUT:
            levels[number] = level
            out(number, level)
        return None

    def __call__(self, level=_READ):
        return self.value(level)

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    high = on
    low = off

    def toggle(self):
        self.value(1 - _levels[self.number])

    def irq(self, handler=None, trigger=12, *, priority=1, wake=None, hard=False):
        """Call handler(pin) at the edges of `trigger`; hard: with the heap locked."""
        self.edges = trigger
        rig.handlers[self.number] = handler
        _host.pin_irq(self.number, trigger | _is_hard(hard) if handler else 0)
        return self._irq


class ADC:
    """An analogue input; the harness sets its 16-bit reading."""

    def __init__(self, pin):
        self._number = pin.number if isinstance(pin, Pin) else pin

    def read_u16(self):
        return _adc(self._number)


class Timer:
    """A software timer; period in milliseconds or freq in hertz."""

    ONE_SHOT = 0
    PERIODIC = 1

    def __init__(self, id=-1, **settings):
        self._id = 0
        if settings:
            self.init(**settings)

    def init(self, *, mode=1, freq=-1, period=-1, callback=None, hard=False, tick_hz=1000):
        self.deinit()
        period_us = int(1000000 / freq) if freq > 0 else period * 1000000 // tick_hz
        if period_us <= 0:
            raise ValueError("period")
        self._id = 1 + max(rig.timers, default=0)
        rig.timers[self._id] = (callback or _nothing, self, hard)
        _host.timer(self._id, period_us, mode)

    def deinit(self):
        if self._id:
            _host.timer(self._id, 0, 0)
            rig.timers.pop(self._id)
            self._id = 0


def _nothing(source):
    pass


class WDT:
    """The watchdog: unless fed every timeout milliseconds (1 to 8388) the board resets."""

    def __init__(self, id=0, timeout=5000):
        if not 1 <= timeout <= 8388:
            raise ValueError("timeout exceeds 8388")
        _host.watchdog(timeout)

    def feed(self):
        _watchdog(0)


class RTC:
    """The calendar clock: (year, month, day, weekday, hours, minutes, seconds, subseconds)."""

    _offset = 0

    def __init__(self, id=0):
        pass

    def datetime(self, value=None):
        if value is None:
            y, mo, d, h, mi, s, weekday, _ = time.gmtime(time.time() + RTC._offset)
            return (y, mo, d, weekday, h, mi, s, 0)
        y, mo, d, _, h, mi, s, _ = value
        RTC._offset = time.mktime((y, mo, d, h, mi, s, 0, 0)) - time.time()
        return None


def reset():
    """Restart the board."""
    _host.reset("hard")


def soft_reset():
    _host.reset("soft")


def reset_cause():
    return _CAUSES[_facts["cause"]][0]


class _Registers:
    """Words of the chip: those of its watchdog."""

    def __getitem__(self, address):
        if address == _CTRL:
            return _host.watchdog_runs() << 30
        if address == _REASON:
            return _CAUSES[_facts["cause"]][1]
        raise ValueError(address)


mem32 = _Registers()


def unique_id():
    return _facts["id"]


def freq(hz=None):
    if hz is None:
        return _facts["freq"]
    _facts["freq"] = hz
    return None


def disable_irq():
    """Hold interrupts back; return the state for enable_irq."""
    was = rig.cells[2]
    rig.cells[2] = 1
    return was


def enable_irq(state=0):
    rig.cells[2] = state
    if not state:
        _host.enabled()


def idle():
    """Wait a little for something to happen."""
    time.sleep_ms(1)


def lightsleep(ms=0):
    time.sleep_ms(ms)


def _set_cause(cause):
    _facts["cause"] = cause


_host.enter("set_cause", _set_cause)
