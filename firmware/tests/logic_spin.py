"""A spin in the middle of its run, made of fakes that show whatever evidence a test wants."""

from tests.logic_fakes import Sink, factory

from tablelogic.core.round import RoundControl
from tablelogic.roulette.judge import TRANSITIONS, Judge
from tablelogic.roulette.pulses import Pulse
from tablewire import roulette

SECOND_US = 1000000


class NeverAtRest:
    """A part that is looked at each time, for a test changes it by hand."""

    @property
    def at_rest(self):
        return False

    @at_rest.setter
    def at_rest(self, value):
        pass


class FakeTrack(NeverAtRest):
    """A ball in the middle of a healthy run, clockwise."""

    def __init__(self):
        self.active = True
        self.odd = 0
        self.late = 0
        self.is_due = True
        self.next_us = self.left_us = 500000
        self.sure_us = 0
        self.wide = False
        self.first_lap_us = 500000
        self.lap_us = 800000
        self.first_us = 0
        self.last_us = 0
        self.way = 1
        self.centi = 900
        self.gone = False
        self.passes = [()]

    def direction(self):
        return self.way

    def silent_sensor(self):
        return -1

    def circuits_centi(self):
        return self.centi

    def unseen_us(self, now_us, drop_lap_us):
        assert drop_lap_us == 1100000
        return -1 if self.gone else 0

    def is_wide(self, sensor, t_us, width_us):
        return self.wide

    def activate(self, t_us):
        self.active = True

    def ball_pass(self, sensor, t_us, width_us):
        self.passes.append((sensor, t_us, width_us))
        return not self.wide


class FakePocket:
    """Pockets without a ball. head: counts how often it was reset."""

    def __init__(self):
        self.head = self
        self.forgotten = 0
        self.lies = self.two = self.new = False
        self.number = -1

    def forget(self):
        self.forgotten += 1

    def on_rim(self, now_ms):
        return self.lies

    def second_ball(self):
        return self.two

    def appeared(self, now_ms):
        return self.new

    def index(self, now_ms):
        return self.number

    def left_rim(self, last_ms, left_ms):
        self.window = (last_ms, left_ms)

    def reason(self, now_ms):
        return roulette.SECOND_BALL if self.two else 0


class FakeRotor(NeverAtRest):
    """Turns counter-clockwise as it should. fault, speed: codes of what is lost or too fast."""

    def __init__(self):
        self.ring = self
        self.direction = self.settled = -1
        self.stopped = False
        self.fault = self.speed = 0

    def launched(self):
        pass

    def silent_sensor(self):
        return -1

    def settled_direction(self):
        return self.settled

    def lost(self):
        return self.fault

    def out_of_limits(self):
        return self.speed


class Spin:
    """A round with a ball in it; `judge` judges it. phase: where the round is."""

    def __init__(self, phase=roulette.PHASE_BALL_IN_RIM, **changed):
        cfg = factory(**changed)
        self.sink = Sink()
        self.round = RoundControl(cfg, self.sink, TRANSITIONS)
        self.round.open([1, 7, 60000])
        self.round.phase = phase
        self.sink.reported.clear()
        self.track = FakeTrack()
        self.pocket = FakePocket()
        self.rotor = FakeRotor()
        self.rims = [Pulse(), Pulse()]
        self.judge = Judge(cfg, self.round, self.track, self.rotor, self.pocket, self.rims)
        self.judge.opened()
        self.judge.rotor_way = -1  # known since the launch

    def reason(self, t_us=SECOND_US):
        """The code the judge voids with at the next tick, 0 none."""
        self.judge.tick(t_us)
        voids = [values[0] for name, values in self.sink.reported if name == "void"]
        return voids[0] if voids else 0
