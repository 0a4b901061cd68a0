"""Keeps the tasks running: restarts and reports a stopped one, resets the board if one hangs.

The watchdog is fed only while every task has finished a step within its deadline.
"""

import gc

from tablelogic.core.ticks import diff
from tablewire.compat import const

if -0:  # for mypy
    from collections.abc import Callable

    from tabletypes import Clock, Stoppable, Sure, Watchdog

_CLEAR_MS = const(10000)


def asked_bytes(error: Exception) -> int:
    """The bytes in one piece that a MemoryError asked for, 0 when it does not say.

    It collects first, so that there is memory for the report.
    """
    gc.collect()
    for word in str(error).split():
        if word.isdigit():
            return int(word)
    return 0


class PeriodicTask:
    """One periodic task: step(), a plain function that does not wait.

    It returns whether long work may wait, nothing if the task has none.
    period_ms: between steps; deadline_ms: without a finished step the board resets.
    work(): does one step of something long, in the rest of a period; returns whether more waits.
    watch() -> whether it is to be called again soon, or URGENT, see tablelogic.core.role.
    """

    def __init__(
        self,
        step: "Callable[[], bool | None]",
        period_ms: int,
        deadline_ms: int,
        work: "Callable[[], bool] | None" = None,
        watch: "Callable[[], int] | None" = None,
    ) -> None:
        self.step = step
        self.period_ms = period_ms
        self.deadline_ms = deadline_ms
        self.work = work
        self.watch: "Sure[Callable[[], int]]" = watch
        self.ran_ms = 0


class Supervisor:
    """tasks: PeriodicTask objects, reported by their index; table: table.Table.

    clock, watchdog: see hal; log(error) writes a traceback to the console.
    times: how often a task stopped since boot.
    """

    def __init__(
        self,
        tasks: "tuple[PeriodicTask, ...]",
        table: "Stoppable",
        clock: "Clock",
        watchdog: "Watchdog",
        log: "Callable[[Exception], object]",
    ) -> None:
        self.times = 0
        self._tasks = tasks
        self._table = table
        self._ticks_ms = clock.ticks_ms
        self._watchdog = watchdog
        self._log = log
        self._stopped = True  # faults of earlier boots clear like those of this one
        self._stopped_ms = clock.ticks_ms()
        for task in tasks:
            task.ran_ms = clock.ticks_ms()

    def run(self, task: PeriodicTask) -> "bool | None":
        """Do one step, unless the program is to end; returns whether long work may wait.

        An exception is logged and becomes the fault task_stopped, or memory_short.
        """
        if self._table.unfinished:
            return False
        try:
            works = task.step()
        except Exception as error:
            self._note(task, error)
            return task.work is not None
        task.ran_ms = self._ticks_ms()
        return works

    def work(self, task: PeriodicTask) -> bool:
        """Do one step of a task's long work, if it has any; returns whether more waits."""
        try:
            return task.work is not None and task.work()
        except Exception as error:
            self._note(task, error)
            return False

    def check(self) -> None:
        """Feed the watchdog if all is well; clear the fault after ten seconds without a stop."""
        now_ms = self._ticks_ms()
        if self._stopped and diff(now_ms, self._stopped_ms) >= _CLEAR_MS:
            self._stopped = False
            self._table.set_stopped(False, 0, 0, False)
        for task in self._tasks:
            if diff(now_ms, task.ran_ms) > task.deadline_ms:
                return
        self._watchdog.feed()

    def _note(self, task: PeriodicTask, error: Exception) -> None:
        self.times += 1
        self._stopped = True
        self._stopped_ms = self._ticks_ms()
        is_memory = isinstance(error, MemoryError)
        number = asked_bytes(error) if is_memory else self.times
        self._log(error)
        self._table.set_stopped(True, self._tasks.index(task), number, is_memory)
