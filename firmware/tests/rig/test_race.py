"""Interrupts between any two lines of the program: no edge is lost, doubled or out of order."""

import random

from tests.rig.desk import Desk

from tableemulator.shipped_controller import program

PINS = (2, 3, 4, 5, 6, 7)
EDGES = 3000

# Notes what no interrupt may bring about: time going back, an edge that is not the other level.
ROLE = b"""
from tablewire.messages import INPUT_DOME

class Roulette:
    phase = 1
    commands = ()
    report = None
    withheld = 0
    has_camera = False
    rotor_direction = 0
    rotor_drpm = 65535
    seen = 0
    wrong = 0
    last_us = 0
    def __init__(self, config, out):
        self.levels = [0] * (INPUT_DOME + 1)
        self.control = self  # for its phase
    def edge(self, sensor, level, t_us):
        cls = Roulette
        cls.seen += 1
        if t_us < cls.last_us or self.levels[sensor] == level:
            cls.wrong += 1
        self.levels[sensor] = level
        cls.last_us = t_us
    def tick(self, t_us):
        if t_us < Roulette.last_us:
            Roulette.wrong += 1
        Roulette.last_us = t_us
    def array(self, bits, t_us):
        pass
    def wants_array(self):
        return 2
    def urgency(self, ring):
        return 0

    own_faults = ()
    result_message = 0x12

    def wants_analog(self):
        return False
    bets_open = False
    def faults(self):
        return 0
    def circuits(self):
        return 255
    def raise_fault(self, code, sensor, value, limit, t_us):
        Roulette.wrong += 1

ROLE = Roulette
"""


def edges(rng):
    """Bursts on six inputs, 30 us to 1 ms apart, as [ms, "pin", number, level]."""
    levels = dict.fromkeys(PINS, 0)
    time_ms = 50.0
    times = []
    for _ in range(EDGES):
        time_ms += rng.uniform(0.03, 1.0)
        pin = rng.choice(PINS)
        levels[pin] ^= 1
        times.append((time_ms, "pin", pin, levels[pin]))
    return times


def test_every_edge_comes_once_in_order():
    """3,000 edges with the interrupt served wherever the program happens to be."""
    files = {**program(), "/tablelogic/roulette/roulette.py": ROLE}
    with Desk(files=files, race=True, limit_s=120) as desk:
        desk.play(2500, edges(random.Random(4)))
        code = "from tablelogic.roulette.roulette import Roulette as r\nprint(r.seen, r.wrong)"
        assert desk.board.exec(code).split() == [str(EDGES), "0"]
        assert desk.errors == ""
        ran = desk.board.coverage()["/tabledev/edges.py"]
    # An edge later than the step it fell into: this line runs only when it came during the step.
    source = files["/tabledev/edges.py"].decode().splitlines()
    assert source.index("                return") + 1 in ran
