"""The asyncio tasks. The only module that waits."""

import asyncio
import gc
import sys

from tablelogic.core.role import CALM, CLOSE, URGENT
from tablelogic.core.ticks import MASK, diff
from tablewire.compat import const

from .roles import make_role
from .supervisor import PeriodicTask, Supervisor
from .table import Table

if -0:  # for mypy
    from tabletypes import Clock, Hal

_CHECK_MS = const(500)
_LOOK_MS = const(20)  # between two looks of a watchful task
_CLOSE_MS = const(5)  # and of one whose sensor is quicker
_URGENT_MS = const(3)  # from a step to the next, if that cannot wait
_PAUSES_MS = (0, _LOOK_MS, _URGENT_MS, 0, _CLOSE_MS)  # by urgency
_PAUSE_MS = const(1)  # after a step of long work: a task that is due has a turn


async def repeat(supervisor: Supervisor, task: PeriodicTask, clock: "Clock") -> None:
    """Run one task for ever, without drift; missed steps are skipped.

    The rest of a period goes to the task's long work, a step at a time. A step that cannot wait
    begins a new period.
    """
    # Looked up once: a local name takes no time.
    run, work, ticks_ms, sleep_ms = (
        supervisor.run,
        supervisor.work,
        clock.ticks_ms,
        asyncio.sleep_ms,
    )
    period_ms, since, mask, watch = task.period_ms, diff, MASK, task.watch
    due_ms = ticks_ms()
    while True:
        works = run(task)
        due_ms = (due_ms + period_ms) & mask
        while works and work(task) and since(due_ms, ticks_ms()) > _PAUSE_MS:
            await sleep_ms(_PAUSE_MS)
        wait_ms = since(due_ms, ticks_ms())
        if wait_ms < 0:
            due_ms = ticks_ms()
            wait_ms = 0
        pace = watch() if watch else CALM
        while pace and wait_ms > (_CLOSE_MS if pace == CLOSE else _LOOK_MS):
            await sleep_ms(_PAUSES_MS[pace])
            pace = watch()
            wait_ms = since(due_ms, ticks_ms())
            if pace == URGENT:
                due_ms = ticks_ms()
                wait_ms = 0
        await sleep_ms(wait_ms)


async def main(hal: "Hal") -> None:
    """Start the table and supervise its tasks, until an error ends the program.

    It returns where only a boot can go on: with an open console by the watchdog, else at once.
    """
    try:
        hal.watchdog.start()
        table = Table(hal, make_role)
        table.start()
        gc.threshold(-1)  # main.py has set it; a rotation would take twice as long
        tasks = (
            PeriodicTask(table.control, 40, 500, table.work, table.watch),
            PeriodicTask(table.exchange, 80, 1000),
            PeriodicTask(table.beat, 250, 2000),
        )
        log = sys.print_exception
        supervisor = Supervisor(tasks, table, hal.clock, hal.watchdog, log)
        for task in tasks:
            asyncio.create_task(repeat(supervisor, task, hal.clock))
        while not table.unfinished:
            supervisor.check()
            await asyncio.sleep_ms(_CHECK_MS)
    finally:
        hal.console.ended()  # here already: on the rig asyncio.run does not return
