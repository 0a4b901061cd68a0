# mypy: ignore-errors
"""asyncio on virtual time: the port's core, driven by the host instead of a JavaScript timer.

asyncio.run starts the main task and returns at once: control must go back to the host between
wake-ups, or no garbage is ever collected. So nothing may follow it in main.py that depends on
its end; new_event_loop after it does nothing. When the main task ends, no task runs any more.
"""

import asyncio
import select
from asyncio import core, event
from time import ticks_add, ticks_diff, ticks_ms

import _host
import heap
import micropython
import rig

_cells = rig.cells
_scheduled = rig.state
_POLL = 3  # ioctl request
_READ = 1
_WRITE = 4
_state = [False]  # the program is over
_sleep = [-1]  # ticks the running task wants to be woken at, -1 none
_ENDS = (core.CancelledError, Exception)
_QUIET = (core.CancelledError, StopIteration)
_nobody = core.cur_task
_context = {"message": "Task exception wasn't retrieved", "exception": None, "future": None}


class ThreadSafeFlag(event.ThreadSafeFlag):
    """The port's flag; setting it tells the host that a task may be ready."""

    def set(self):
        self.state = 1
        _cells[1] = 1


class IOQueue:
    """Tasks waiting for a stream: [stream, events, task], asked whenever something happened."""

    def __init__(self):
        self.waiting = []

    def _add(self, stream, events):
        self.waiting.append((stream, events, core.cur_task))
        core.cur_task.data = self
        _cells[1] = 1
        _cells[4] += 1

    def queue_read(self, stream):
        self._add(stream, _READ)

    def queue_write(self, stream):
        self._add(stream, _WRITE)

    def remove(self, task):
        left = [entry for entry in self.waiting if entry[2] is not task]
        _cells[4] -= len(self.waiting) - len(left)
        self.waiting = left

    def poll(self):
        """Make every task ready whose stream is."""
        index = 0
        while index < len(self.waiting):
            stream, events, task = self.waiting[index]
            if stream.ioctl(_POLL, events):
                self.waiting.pop(index)
                _cells[4] -= 1
                core._task_queue.push(task)
            else:
                index += 1


def _once():
    """Return a maker of awaitables that yield exactly once, without exception or allocation.

    The port's own raises StopIteration at the end of every sleep: six microseconds here. A poll
    object with one ready stream is an iterator with one item, and is used again for ever.
    """
    ring = micropython.RingIO(2)
    ring.write(b"1")
    poll = select.poll()
    poll.register(ring, select.POLLIN)
    return poll.ipoll


_yield_once = _once()


def sleep_ms(ms, wakes=_sleep, add=ticks_add, now_ms=ticks_ms, yield_once=_yield_once):
    """Sleep; the task goes back into the queue when it yields. ms is the only argument."""
    if wakes[0] >= 0:
        raise RuntimeError("an earlier sleep was not awaited")
    wakes[0] = add(now_ms(), ms if ms > 0 else 0)
    return yield_once(0)


def sleep(seconds):
    return sleep_ms(int(seconds * 1000))


def turn(own=core, sleep=_sleep, state=_state, ms=ticks_ms, diff=ticks_diff, scheduled=_scheduled):
    """Run every task that is due; return milliseconds to the next wake-up, -1 for none.

    Tasks follow the protocol of the port's Task: state is True while running, a queue of tasks
    awaiting it or a callback; None when done and not awaited, False when done and awaited; data
    is the exception to throw in, or the queue it waits on. Allocates nothing. The host passes no
    argument: a local name is found at once.
    """
    if scheduled[0]:
        rig.run_scheduled()
    if own._io_queue.waiting:
        own._io_queue.poll()
    queue, wait = own._task_queue, -1
    task = queue.peek()
    while task and not state[0]:
        wait = diff(task.ph_key, ms())
        if wait > 0:
            break
        wait = -1
        own.cur_task = queue.pop()
        thrown = task.data
        try:
            if not thrown:
                task.coro.send(None)
            else:
                task.data = None
                task.coro.throw(thrown)
            wake = sleep[0]
            if wake >= 0:
                sleep[0] = -1
                queue.push(task, wake)
        except _ENDS as error:
            _end(task, error, thrown)
        task = queue.peek()
    own.cur_task = _nobody
    return wait


def turn_tight():
    """A turn on a heap of the board's size: its garbage is collected right after it."""
    wait = turn()
    heap.mark()
    return wait


def _end(task, error, thrown):
    """A task returned (StopIteration), was cancelled or failed: tell whoever waits for it."""
    state = task.state
    if state is None:  # done before: nobody asked for the exception that was thrown in
        task.data = thrown
        _context["exception"] = thrown
        _context["future"] = task
        core.Loop.call_exception_handler(_context)
        return
    if not state:
        return
    awaited = True
    if state is True:
        awaited = False
    elif callable(state):
        state(task, error)
    else:
        awaited = state.peek() is not None
        while state.peek():
            core._task_queue.push(state.pop())
    task.state = False if awaited or state is not True else None
    if not awaited and not isinstance(error, _QUIET):
        core._task_queue.push(task)  # comes back above unless somebody awaits it meanwhile
    task.data = error


def stop():
    """Control-C: the program is over, as when its main task ended; interrupts go on."""
    _state[0] = True


async def _main(coro):
    try:
        await coro
    except Exception as error:
        rig.report(error)
    _state[0] = True


def run(coro):
    """Start the main task; it runs when main.py has ended."""
    if _cells[3]:
        raise RuntimeError("asyncio.run was already called")
    _cells[3] = 1
    core.create_task(_main(coro))


def _run_forever():
    if _cells[3]:
        raise RuntimeError("the loop already runs")
    _cells[3] = 1


def _no_new_loop():
    if not _cells[3]:
        _new_loop()
    return core.Loop


def _new_loop():
    core._io_queue = IOQueue()
    core._task_queue = core.TaskQueue()
    return core.Loop


core.new_event_loop = asyncio.new_event_loop = _no_new_loop
core.run = asyncio.run = run
core.sleep_ms = asyncio.sleep_ms = sleep_ms
core.sleep = asyncio.sleep = sleep
core.Loop.run_forever = _run_forever
core.Loop.run_until_complete = run
event.ThreadSafeFlag = asyncio.ThreadSafeFlag = ThreadSafeFlag
_new_loop()
_host.enter("turn", turn)
_host.enter("turn_tight", turn_tight)
_host.enter("stop", stop)
