# mypy: ignore-errors
"""asyncio on virtual time: the port's core, driven by the host instead of a JavaScript timer.

asyncio.run starts the main task and returns at once: control must go back to the host between
wake-ups, or no garbage is ever collected. So nothing may follow it in main.py that depends on
its end; new_event_loop after it does nothing. When the main task ends, no task runs any more.
"""

import asyncio
from asyncio import core, event

import _host
import rig

_cells = rig.cells
_POLL = 3  # ioctl request
_READ = 1
_WRITE = 4
_state = [-1, False]  # milliseconds to the next wake-up or -1, the program is over
_run_iter = core._run_iter


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

    def queue_read(self, stream):
        self._add(stream, _READ)

    def queue_write(self, stream):
        self._add(stream, _WRITE)

    def remove(self, task):
        self.waiting = [entry for entry in self.waiting if entry[2] is not task]

    def poll(self):
        """Make every task ready whose stream is."""
        at = 0
        while at < len(self.waiting):
            stream, events, task = self.waiting[at]
            if stream.ioctl(_POLL, events):
                self.waiting.pop(at)
                core._task_queue.push(task)
            else:
                at += 1


def _schedule(wait):
    if wait > 0:
        _state[0] = wait
    else:
        _cells[1] = 1


def turn():
    """Run every task that is due; return milliseconds to the next wake-up, -1 for none."""
    rig.run_scheduled()
    if _state[1]:
        return -1
    if core._io_queue.waiting:
        core._io_queue.poll()
    _state[0] = -1
    _run_iter()
    return _state[0]


async def _main(coro):
    try:
        await coro
    except Exception as error:
        rig.report(error)
    _state[1] = True


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
    return _core_new_event_loop()


_core_new_event_loop = core.new_event_loop
core._schedule_run_iter = _schedule
core.new_event_loop = asyncio.new_event_loop = _no_new_loop
core.run = asyncio.run = run
core.Loop.run_forever = _run_forever
core.Loop.run_until_complete = run
event.ThreadSafeFlag = asyncio.ThreadSafeFlag = ThreadSafeFlag
_new_loop()
_host.enter("turn", turn)
