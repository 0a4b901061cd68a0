"""A draw machine by hand-made edges for the tests of its role: balls, readings, recalls."""

from tests.logic_fakes import START_US, Sink, factory

from tablelogic.core.ticks import MASK
from tablelogic.draw_machine.draw_machine import DrawMachine
from tablewire import draw_machine as words
from tablewire import messages as m

INNER, OUTER, TUBE, RETURN, LID, BUTTON = 1, 2, 5, 6, 9, 7
TICK_US = 40000
RUNS, STANDS = 2000, 100


class Desk:
    """One machine, its readers heard, its blower running. Balls take 40 ms in each beam."""

    def __init__(self, **changed):
        fast = {"max_bet_ms": 5000, "mix_ms": 1000, "auto_open": 0}
        self.sink = Sink()
        self.role = DrawMachine(factory(role=5, **(fast | changed)), self.sink)
        self.t_us = START_US
        self.raw = RUNS
        self.readings = [7, 250]
        for reader in (1, 2):
            self.say(reader, 3)
        self.wait(400)

    def wait(self, ms):
        for _ in range(ms * 1000 // TICK_US):
            self.t_us = (self.t_us + TICK_US) & MASK
            if self.role.wants_analog():
                self.role.analog(self.raw)
            self.role.tick(self.t_us)

    def edge(self, sensor, level, after_ms=0):
        """Edges lie up to one tick ahead of the last tick, as in a ring."""
        self.role.edge(sensor, level, (self.t_us + after_ms * 1000) & MASK)

    def leave(self):
        """A ball comes out of the gate."""
        self.edge(INNER, 1, 1)
        self.edge(OUTER, 1, 16)
        self.wait(40)
        self.edge(INNER, 0, 1)
        self.edge(OUTER, 0, 16)
        self.wait(200)

    def arrive(self, sensor=TUBE):
        """A ball passes into the tube, or through the return."""
        self.edge(sensor, 1, 1)
        self.wait(40)
        self.edge(sensor, 0, 1)
        self.wait(80)

    def say(self, reader, number, *, step=1, ball_set=0):
        self.readings[reader - 1] = (self.readings[reader - 1] + step) & 255
        values = (reader, self.readings[reader - 1], number, ball_set)
        self.role.order(words.READER_REPORT, values, self.t_us)

    def ball(self, number, other=None):
        """One ball is drawn; other: what the second reader makes of it."""
        self.leave()
        self.say(1, number)
        self.arrive()
        self.say(2, number if other is None else other)
        self.wait(120)

    def order(self, ident, *values):
        return self.role.order(ident, values, self.t_us)

    def declare(self, count=None):
        expected = self.role.chamber.expected
        return self.order(words.DECLARE_BALLS, expected if count is None else count)

    def begin(self):
        """A round up to the moment balls may come."""
        self.declare()
        assert self.role.open_bets(self.t_us) == 0
        self.role.close_bets(m.CLOSE_CAUSE_COMMAND, self.t_us)
        self.wait(1100)
        assert self.role.phase == words.PHASE_DRAWING

    def reported(self, ident):
        return [values for name, values in self.sink.reported if name == ident]

    def void(self):
        """Reason and sensor of the only void."""
        ((reason, _, sensor, *_),) = self.reported("void")
        return reason, sensor

    def up(self):
        return [code for code in words.FAULT_CODES if self.role.control.faults.is_active(code)]
