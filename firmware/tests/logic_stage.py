"""A whole roulette role on a stage: edges made by hand in, what it sent to its sink out.

The times of a healthy spin, for the expectations in the tests: ticks come every 40 ms, the first
at 40 ms sets the role's clock to 0, so at tick t the role's clock is at t - 40. The table is
quiet at 6000, so the bets open at 6040. The ball passes rim sensor 1 at 8010, makes ten laps and
passes it for the last time at 8010 + 9690 = 17700. It counts as gone 1.5 * 1800 + 100 = 2800
later, seen at the tick of 20520 (clock 20480).
"""

from tests.logic_edges import head, rotor
from tests.logic_fakes import START_US, Sink, factory

from tablelogic.core.ticks import MASK
from tablelogic.roulette.roulette import Roulette
from tablewire import roulette

TICK_US = 40000
LAUNCH_MS = 8010
# Of a ball with 0.104 of the square of its speed and 0.037 turns/s2 of drag, to a millisecond.
LAPS_MS = (500, 561, 630, 711, 807, 920, 1059, 1234, 1468, 1800)
CLOCKWISE, COUNTER_CLOCKWISE = 1, -1


def _between(laps_ms, turn):
    """When the ball has run `turn` turns: a parabola through three passes of sensor 1."""
    ends = [0]
    for lap_ms in laps_ms:
        ends.append(ends[-1] + lap_ms)
    k = min(int(turn), len(ends) - 3)
    x = turn - k
    first, second, third = ends[k : k + 3]
    return first * (1 - x) * (2 - x) / 2 + second * x * (2 - x) - third * x * (1 - x) / 2


def ball(laps_ms=LAPS_MS, direction=CLOCKWISE, launch_ms=LAUNCH_MS):
    """Edges of both rim sensors: sensor 2 comes after a quarter of a turn, or three quarters.

    A pass takes as long as a hundredth of a turn there, its middle at the time given.
    """
    edges = []
    for sensor, after in ((roulette.INPUT_RIM_1, 0.0), (roulette.INPUT_RIM_2, 0.25 * direction)):
        for turn in range(len(laps_ms) + (1 if after == 0 else 0)):
            place = turn + after % 1.0
            t_us = int((launch_ms + _between(laps_ms, place)) * 1000)
            width_ms = _between(laps_ms, place + 0.005) - _between(laps_ms, place - 0.005)
            half_us = int(width_ms * 500)
            edges += [(t_us - half_us, sensor, 1), (t_us + half_us, sensor, 0)]
    return edges


def under_head(direction, pocket, from_ms, until_ms):
    """Edges of a head at 180 degrees, 18.5 pockets, for a ball at rest from `from_ms` on."""
    edges = head(direction, pocket, 18.5, until_ms * 1000)
    return [edge for edge in edges if edge[0] >= from_ms * 1000]


class Stage:
    """Plays to a role. Time is in ms from the start, 10 s before the clock wraps."""

    def __init__(self, start_us=START_US, **changed):
        self.sink = Sink()
        self.role = Roulette(factory(**changed), self.sink)
        self.now_us = 0
        self._start_us = start_us
        self._edges = []
        self._pockets = []  # (t_us, pockets that hold a ball) still to come
        self._bits = bytearray(5)
        self._ticks = 0

    def turn_rotor(self, direction, until_ms, pockets=37):
        """Turn it at 100 ms a pocket from 0 on."""
        self.add(rotor(direction, until_ms * 1000, pockets))
        return self

    def add(self, edges):
        """Have these edges happen, (t_us, sensor, level) each."""
        self._edges = sorted(self._edges + edges)
        return self

    def lay(self, t_ms, *pockets):
        """From t_ms on balls lie in these pockets, as the switches show."""
        self._pockets.append((t_ms * 1000, pockets))
        return self

    def ticks(self, t_us):
        """A time on the role's clock."""
        return (t_us + self._start_us) & MASK

    def run(self, until_ms):
        """Let time pass; returns what was reported since the run before, changes of phase too."""
        self.sink.reported.clear()
        while self.now_us < until_ms * 1000:
            self.now_us += TICK_US
            self._step()
        return self.sink.reported

    def _step(self):
        role = self.role
        while self._edges and self._edges[0][0] <= self.now_us:
            t_us, sensor, level = self._edges.pop(0)
            role.edge(sensor, level, self.ticks(t_us))
        while self._pockets and self._pockets[0][0] <= self.now_us:
            self._bits[:] = bytearray(5)
            for pocket in self._pockets.pop(0)[1]:
                self._bits[pocket >> 3] |= 1 << (pocket & 7)
        self._ticks += 1
        steps = role.wants_array() if role.wants_array else 0
        if steps and self._ticks % steps == 0:
            role.array(self._bits, self.ticks(self.now_us))
        role.tick(self.ticks(self.now_us))

    def call(self, verb, *args):
        """Give the role an order now: open_bets, close_bets, void_round."""
        return getattr(self.role, verb)(*args, self.ticks(self.now_us))
