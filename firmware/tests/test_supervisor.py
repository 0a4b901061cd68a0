"""Stopped tasks are restarted and reported, hanging ones leave the watchdog hungry."""

import unittest

from tests.fakes import START_MS, Clock, Watchdog

from tabledev.app.supervisor import PeriodicTask, Supervisor


class SupervisorTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.watchdog = Watchdog()
        self.watchdog.start()
        self.reported = []
        self.logged = []
        self.failing = False
        self.error = OSError(5)
        self.first = PeriodicTask(self.step, 40, 500)
        self.second = PeriodicTask(lambda: None, 80, 1000)
        self.unfinished = False
        self.supervisor = Supervisor(
            (self.first, self.second), self, self.clock, self.watchdog, self.logged.append
        )

    def set_stopped(self, stopped, place, number, is_memory):
        self.reported.append((stopped, place, number, is_memory))

    def step(self):
        if self.failing:
            raise self.error

    def run_for(self, ms, tasks):
        """Run the tasks every 100 ms and check every 500."""
        for tenth in range(1, ms // 100 + 1):
            self.clock.ms += 100
            for task in tasks:
                self.supervisor.run(task)
            if tenth % 5 == 0:
                self.supervisor.check()

    def test_the_watchdog_is_fed_while_all_run(self):
        """Twice a second."""
        self.run_for(5000, (self.first, self.second))
        self.assertEqual(self.watchdog.fed, 10)
        self.assertEqual(self.reported, [])

    def test_one_hanging_duty_starves_the_watchdog(self):
        """Fed within its deadline of 1000 ms, then not."""
        self.run_for(2000, (self.first, self.second))
        self.assertEqual(self.watchdog.fed, 4)
        self.run_for(5000, (self.first,))
        self.assertEqual(self.watchdog.fed, 6)
        self.run_for(500, (self.first, self.second))
        self.assertEqual(self.watchdog.fed, 7)

    def test_a_stopped_duty_goes_on_and_is_reported(self):
        """Raised at once with its place, cleared after ten seconds without another stop."""
        self.failing = True
        self.run_for(100, (self.first, self.second))
        self.failing = False
        self.assertEqual(self.reported, [(True, 0, 1, False)])
        self.assertEqual(len(self.logged), 1)
        self.assertTrue(isinstance(self.logged[0], OSError))
        self.run_for(9900, (self.first, self.second))
        self.assertEqual(len(self.reported), 1)
        self.run_for(600, (self.first, self.second))
        self.assertEqual(self.reported[1:], [(False, 0, 0, False)])
        self.run_for(20000, (self.first, self.second))
        self.assertEqual(len(self.reported), 2)

    def test_a_duty_without_memory_is_reported_with_the_bytes_it_asked_for(self):
        """As MicroPython words them (py/malloc.c); 0 when the heap was locked."""
        self.failing = True
        for text, count in (
            ("memory allocation failed, allocating 1344 bytes", 1344),
            ("memory allocation failed, heap is locked", 0),
        ):
            self.error = MemoryError(text)
            self.supervisor.run(self.first)
            self.assertEqual(self.reported.pop(), (True, 0, count, True))

    def test_a_duty_that_always_stops_ends_in_a_reset(self):
        """A step that failed is no step: the watchdog goes hungry."""
        self.failing = True
        self.run_for(3000, (self.first, self.second))
        self.assertEqual(self.watchdog.fed, 1)
        self.assertEqual(self.supervisor.times, 30)

    def test_no_task_runs_in_a_program_that_is_to_end(self):
        """Nothing is done that the boot does not know of."""
        self.unfinished = self.failing = True
        self.run_for(400, (self.first, self.second))
        self.assertEqual((self.reported, self.first.ran_ms), ([], START_MS))

    def test_long_work_is_done_in_steps(self):
        """As long as more waits; a step that fails is reported like any other, and ends it."""
        left = [3, 2, 1, 0]
        task = PeriodicTask(self.step, 40, 500, lambda: left.pop(0) > 0)
        supervisor = Supervisor((task,), self, self.clock, self.watchdog, self.logged.append)
        self.assertEqual([supervisor.work(task) for _ in range(4)], [True, True, True, False])
        self.assertFalse(supervisor.work(task))
        self.assertEqual(self.reported, [(True, 0, 1, False)])
        self.assertFalse(supervisor.work(self.second))


if __name__ == "__main__":
    unittest.main()
