# mypy: ignore-errors
"""Entry points of the board's world: who calls the firmware's handlers, tasks and files.

Runs on the virtual machine. The host (world.mjs) calls these functions by reference; words and
levels are shared with it so that reading time or a level crosses no bridge and allocates nothing.
"""

import sys
from array import array

import _host
import micropython
import uctypes

# Shared words (cells.mjs has the same list).
TICKS_US = 0  # virtual time, microseconds, wrap 2**30
READY = 1  # 1: something outside a task made a task ready
IRQ_OFF = 2  # 1: the firmware disabled interrupts
STARTED = 3  # 1: asyncio.run was called
LISTENERS = 4  # who wants to know that bytes arrived: interrupts of ports, tasks at a stream

_PINS = 64
_DEPTH = 8  # slots of the scheduler, as on rp2

cells = array("i", [0] * 8)
levels = bytearray(_PINS)

pins = [None] * _PINS  # machine.Pin by number, one object each
handlers = [None] * _PINS
timers = {}  # id -> (callback, Timer, hard)
receivers = []  # called when bytes have arrived

_functions = [None] * _DEPTH
_arguments = [None] * _DEPTH
state = [0, 0, 0]  # scheduled count, interrupt depth, heap is locked in interrupts

_console = _host.console  # found once: a look-up over the bridge allocates
_heap_lock = micropython.heap_lock
_heap_unlock = micropython.heap_unlock


def report(error):
    """Print an exception nobody caught, where the harness finds it."""
    sys.print_exception(error, sys.stderr)


def schedule(function, argument):
    """micropython.schedule: call function(argument) once the interrupt is over."""
    count = state[0]
    if count == _DEPTH:
        raise RuntimeError("schedule queue full")
    _functions[count] = function
    _arguments[count] = argument
    state[0] = count + 1
    cells[READY] = 1


def run_scheduled():
    """Run what was scheduled, unless an interrupt is still being served."""
    if state[1]:
        return
    while state[0]:
        function = _functions[0]
        argument = _arguments[0]
        state[0] -= 1
        for i in range(state[0]):
            _functions[i] = _functions[i + 1]
            _arguments[i] = _arguments[i + 1]
        cells[READY] = 1
        try:
            function(argument)
        except Exception as error:
            report(error)


def hard(pin, state=state, handlers=handlers, pins=pins, lock=_heap_lock, unlock=_heap_unlock):
    """Serve a hard interrupt of a pin: the heap is locked, a handler that fails is disabled.

    The host passes a pin only: a local name is found at once.
    """
    depth = state[1]
    state[1] = depth + 1
    lock()
    try:
        handlers[pin](pins[pin])
    except BaseException as error:
        unlock()
        handlers[pin] = None
        pins[pin].edges = 0
        _host.pin_irq(pin, 0)
        print("Uncaught exception in IRQ callback handler", file=sys.stderr)
        report(error)
    else:
        unlock()
    state[1] = depth
    if state[0]:
        run_scheduled()


def hard_traced(pin):
    """Serve a hard interrupt under sys.settrace, which itself allocates: no lock."""
    state[1] += 1
    try:
        handlers[pin](pins[pin])
    except BaseException as error:
        handlers[pin] = None
        pins[pin].edges = 0
        _host.pin_irq(pin, 0)
        report(error)
    state[1] -= 1
    if state[0]:
        run_scheduled()


def soft(pin):
    """Serve a soft interrupt of a pin: it goes through the scheduler; a full queue loses it."""
    if state[0] < _DEPTH:
        schedule(handlers[pin], pins[pin])
    run_scheduled()


def timer(number):
    """Serve a timer: a hard one under the heap lock, a soft one through the scheduler."""
    callback, source, is_hard = timers[number]
    if not is_hard:
        if state[0] < _DEPTH:
            schedule(callback, source)
        run_scheduled()
        return
    failed = None
    state[1] += 1
    _heap_lock()
    try:
        callback(source)
    except BaseException as error:
        failed = error
    _heap_unlock()
    state[1] -= 1
    if failed is not None:
        report(failed)
    run_scheduled()


def received():
    """Bytes have arrived at a UART."""
    for tell in receivers:
        tell()
    run_scheduled()


def run_file(path):
    """Run a program file in the namespace of __main__, as the board does with main.py.

    As there (shared/runtime/pyexec.c) Control-C stops it from its first line on, until it ends or
    says otherwise.
    """
    if _host.program_kind(path) != 1 and _host.flash_kind(path) != 1:
        return
    import __main__

    _console(3)
    try:
        execfile(path, __main__.__dict__)  # noqa: F821
    except SystemExit:
        pass
    except BaseException as error:
        report(error)
    if not cells[STARTED]:
        _console(-1)
    run_scheduled()


_host.attach(uctypes.addressof(cells), uctypes.addressof(levels))
for _name in ("hard", "hard_traced", "soft", "timer", "received", "run_file"):
    _host.enter(_name, globals()[_name])
