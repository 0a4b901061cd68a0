"""Bytes allocated per edge and per frame on the VM: none, but for the tag of a frame."""

import pytest

from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablespec.provisioning import configuration

RIM_1, RIM_2 = 5, 6
# Garbage of a durable record: its file, and two files more when it is a fault.
KEEP_BYTES = 2048
# Garbage of a tag: two hashes of 128 bytes, three digests, a view. decisions/wire.md says why.
TAG_BYTES = 512

# The app put together as main.py does, but stepped by the test instead of asyncio.
MAIN = b"""
import board
import gc
import time
from tabledev.app.table import Table
from tabledev.drivers.chip import Watchdog
from tabledev.drivers.console import Console
from tabledev.drivers.flash_files import FlashFiles
from tabledev.drivers.wiring import build
from tabledev.edges import EdgeRing

class Role:

    result_message = 0x12
    own_faults = ()
    commands = ()
    report = None
    withheld = 0
    has_camera = False
    urgency = None
    phase = 3
    bets_open = True
    rotor_direction = 0
    rotor_drpm = 65535
    def __init__(self, config, out):
        self._out = out
        self.control = self  # for its phase
        self.edges = 0
    def edge(self, sensor, level, t_us):
        self.edges += 1
    def array(self, bits, t_us):
        pass
    def wants_array(self):
        return 2

    def wants_analog(self):
        return False
    def tick(self, t_us):
        pass
    def faults(self):
        return 0
    def circuits(self):
        return 255

hal = build(lambda: board, EdgeRing(), Console(FlashFiles()), Watchdog(0))
table = Table(hal, Role)
table.start()
out = table.role._out
outbox = table.transmitter.outbox
"""

# Interrupts come while the program sleeps; a control step follows every 40 ms.
EDGES = """
def steps(count):
    before = gc.mem_alloc()
    for _ in range(count):
        time.sleep_ms(40)
        table.control()
    return gc.mem_alloc() - before
steps(2)
print(steps(50), table.role.edges, hal.ring.lost)
"""

# The ball has left the rim, and the array is looked at between two steps.
LOOKED = """
from tablelogic.roulette.roulette import Roulette
from tablewire.roulette import PHASE_DROPPED
from tablewire.settings import factory
class Sink:
    def state(self, values):
        pass
roulette = Roulette(factory(), Sink())
roulette.control.phase = PHASE_DROPPED
roulette.judge.is_overdue = True
table.engine.begin(lambda config, out: roulette, table.store.config)
def looks(count):
    before = gc.mem_alloc()
    for _ in range(count):
        table.watch()
    return gc.mem_alloc() - before
looks(2)
print(looks(50), table.watch())
"""

# A self test listens in.
TALLIED = """
from tabledev.app.self_test import Tally
tally = Tally(table.engine.edge, 0, True)
table.engine.tap(tally.edge)
"""

# A reader head's pulses, on a rotor that is followed.
HEADED = """
from tabledev.app.head_place import HeadPlace
class Ring:
    period_us = 100000
class Rotor:
    pockets = 37
    ring = Ring()
    def place_at(self, t_us, angle_64):
        return 5
head = HeadPlace(Rotor(), 180000)
def pulses(count):
    before = gc.mem_alloc()
    for turn in range(count):
        head.edge(1, turn * 100000)
        head.edge(0, turn * 100000 + 40000)
    return gc.mem_alloc() - before
pulses(2)
print(pulses(50), head.count)
"""

# A ball runs past the rim sensors.
RIMMED = """
from tabledev.app.rim_angle import RimAngle
rim = RimAngle()
def turns(count):
    before = gc.mem_alloc()
    for turn in range(count):
        rim.edge(4, 1, turn * 1100000)
        rim.edge(5, 1, turn * 1100000 + 275000)
    return gc.mem_alloc() - before
turns(3)
print(turns(50), rim.count)
"""

# The rotor turns: a pulse of each sensor a turn, and ticks enough for a turn.
TURNED = """
from array import array
from tabledev.app.turns import Turns
from tablelogic.roulette.rotor import Rotor
rotor, pulses = Rotor(37, 60, 300), array("H", bytes(32))
rotor.ring.direction, rotor.ring.period_us = 1, 100000
turns = Turns(rotor, pulses)
def turned(count):
    before = gc.mem_alloc()
    for turn in range(count):
        for sensor in (1, 2):
            pulses[sensor] += 37
        pulses[3] += 1
        turns.index()
        rotor.index(turn * 3700000)
    return gc.mem_alloc() - before
turned(2)
print(turned(50), turns.count)
"""

# A ball past four rim sensors, a quarter of a lap apart: each lap takes 12 % longer.
TRACKED = """
from tablelogic.roulette.lap_law import LapLaw
from tablelogic.roulette.track import Track
from tablewire import settings
track = Track([0, 90000, 180000, 270000], LapLaw(settings.factory()))
def passes(first, count):
    t_us, step_us = 1000000, 110000
    for n in range(first):
        t_us, step_us = t_us + step_us, step_us + step_us * 3 // 100
    before = gc.mem_alloc()
    for n in range(first, first + count):
        track.ball_pass(n & 3, t_us, step_us // 25)
        t_us, step_us = t_us + step_us, step_us + step_us * 3 // 100
    return gc.mem_alloc() - before
passes(0, 12)
print(passes(12, 28), track.passes, track.odd, track.late, track.circuits_centi())
"""

# Each frame has the line for itself; a durable one is acknowledged and leaves its place.
FRAMES = """
import tablewire.roulette
result = [17, 4, 1, 3, 1500, 1, -1, 120, 1900, 15000, 3000, 1, 250, -128]
void = [101, 3, 255, 500, 1, -1, 120, 900]
closed = [1, 4000]
state = [2, 1]
fault = [401, 7, 1, 0]
clear = [401, 7, 5000]

def close(): out.bets_closed(closed)
def number(): table.transmitter.send_durable(0x12, result)
def ending(): table.transmitter.send_durable(0x13, void)
def phase(): out.state(state)
def up(): out.fault_raised(fault)
def down(): out.fault_cleared(clear)

def cost(send, count):
    most = 0
    for _ in range(count):
        before = gc.mem_alloc()
        send()
        most = max(most, gc.mem_alloc() - before)
        outbox.acknowledge(table.store.boot, table.transmitter.sender.counter)
        time.sleep_ms(20)
    return most

for send in (close, number, ending, phase, up, down, table.heartbeat, table.reports.identity):
    cost(send, 1)
total = 0
for send in (phase, table.heartbeat, table.reports.identity):
    total += cost(send, 100)
most = 0
for send in (close, ending, up, down):
    most = max(most, cost(send, 100))
print(most, total, table.transmitter.dropped, outbox.waiting)
"""

# Sending by repetition: 30 records that nobody acknowledges.
REPEATS = """
void = [101, 3, 255, 500, 1, -1, 120, 900]
for _ in range(30):
    table.transmitter.send_durable(0x13, void)
def repeat(count):
    before = gc.mem_alloc()
    for _ in range(count):
        time.sleep_ms(80)
        table.exchange()
    return gc.mem_alloc() - before
repeat(30)
print(repeat(100))
"""

# Each frame of a session: its tag, and nothing beside it.
TAGGED = """
from tablewire.seal import Session
table.transmitter.begin(Session(bytes(32), 4711, 1, bytes(8), bytes(8)).table)
state = [2, 1]
def tags(count):
    before = gc.mem_alloc()
    for _ in range(count):
        table.heartbeat()
        time.sleep_ms(20)
        out.state(state)
        time.sleep_ms(20)
    return (gc.mem_alloc() - before) / (2 * count)
tags(1)
print(tags(10), steps(50), table.transmitter.dropped)
"""


@pytest.fixture
def board():
    """A board with the app, started, and no task running."""
    files = {**program(), "/main.py": MAIN}
    flash = dict.fromkeys(CONFIGURATION_FILES, configuration())
    with WasmBoard(files, flash=flash, limit_s=60) as started:
        assert started.boot().errors == ""
        yield started
        assert started.play([], started.now_us + 1).errors == ""


def test_the_measure_sees_an_allocation(board):
    """The counter used below rises when something is allocated."""
    code = "b = gc.mem_alloc()\nx = bytearray(100)\nprint(gc.mem_alloc() - b >= 100)"
    assert board.exec(code).strip() == "True"


def play_edges(board):
    """1,000 edges are to come, 500 at each rim sensor."""
    now = board.now_us
    edges = [
        [now + 100_000 + 1700 * n, "pin", (RIM_1, RIM_2)[n % 2], (n // 2 + 1) & 1]
        for n in range(1000)
    ]
    board.play(edges, now)


def test_an_edge_allocates_nothing(board):
    """1,000 edges from the interrupt through the ring to the role, with array and ticks."""
    play_edges(board)
    assert board.exec(EDGES).split() == ["0", "1000", "0"]


def test_a_look_at_the_array_allocates_nothing(board):
    """50 looks; each says that the next may come soon."""
    assert board.exec(LOOKED).split() == ["0", "1"]


def test_a_self_test_counts_without_allocating(board):
    """The same edges, counted on their way to the role: 250 pulses of each rim sensor."""
    play_edges(board)
    printed = board.exec(TALLIED + EDGES + "print(tally.pulses[4], tally.pulses[5])").split()
    assert printed == ["0", "1000", "0", "250", "250"]


def test_a_reader_head_is_followed_without_allocating(board):
    """50 pulses, after two to warm up."""
    assert board.exec(HEADED).split() == ["0", "52"]


def test_the_angle_of_the_rim_sensors_is_measured_without_allocating(board):
    """50 turns, after three to warm up; four passes make the first pair of turns."""
    assert board.exec(RIMMED).split() == ["0", "100"]


def test_turns_are_counted_without_allocating(board):
    """50 turns, after two to warm up; the first index begins the first one."""
    assert board.exec(TURNED).split() == ["0", "51"]


def test_a_ball_is_followed_by_four_sensors_without_allocating(board):
    """28 passes, after 12 to warm up: 40 passes are 39 quarters."""
    assert board.exec(TRACKED).split() == ["0", "40", "0", "0", "975"]


def test_a_frame_sent_allocates_nothing(board):
    """100 frames of each volatile message; a durable one allocates for its writes to flash."""
    most, *others = map(int, board.exec(FRAMES).split())
    assert others == [0, 0, 0]
    assert 0 < most <= KEEP_BYTES


def test_a_repeat_allocates_nothing(board):
    """Eight seconds of an absent host."""
    assert board.exec(REPEATS).split() == ["0"]


def test_a_tag_allocates_what_two_hashes_take(board):
    """20 frames of a session; an edge and a step allocate nothing during one either."""
    board.exec(EDGES)
    tag, step, dropped = board.exec(TAGGED).split()
    print(f"allocated for a tag: {tag} bytes")
    assert 256 < float(tag) <= TAG_BYTES
    assert (step, dropped) == ("0", "0")


def test_a_card_allocates_nothing():
    """Twenty cards at both gates of a shuffler, with flicker, motor current, and a jam at the end.

    The first second is left out: it begins the shuffle. A record written would allocate.
    """
    main = MAIN[: MAIN.index(b"class Role")] + b"from tabledev.app.roles import make_role\n"
    main += MAIN[MAIN.index(b"hal = build") :].replace(
        b"Table(hal, Role)", b"Table(hal, make_role)"
    )
    flash = dict.fromkeys(CONFIGURATION_FILES, configuration(role=4))
    with WasmBoard({**program(), "/main.py": main}, flash=flash, limit_s=60) as board:
        assert board.boot().errors == ""
        now = board.now_us
        events = []
        for n in range(20):
            for gate in (2, 3):
                start = now + 500_000 + 200_000 * n + 90_000 * (gate - 2)
                times = (0, 80_000) if n % 4 else (0, 500, 900, 80_000)
                events += [[start + t_us, "pin", gate, 1 - k % 2] for k, t_us in enumerate(times)]
        board.play([*events, [now + 4_700_000, "pin", 2, 1]], now)
        board.exec(EDGES[: EDGES.index("steps(2)")] + "steps(25)")
        # Between rounds the memory is looked at, which makes garbage of its own.
        board.exec("table.role.control.phase = 4")
        # The first sleeps after a command may take blocks of the rig's own.
        assert board.exec("steps(2)\nprint(steps(73))").split() == ["0"]
        shuffle = "steps(25)\nprint(table.role.shuffle.count_in, table.role.shuffle.count_out)"
        assert board.exec(shuffle).split() == ["20", "20"]


def test_a_passage_allocates_nothing():
    """Fifteen cards pushed back at the mouth of a shoe, looked at, and the reader's reports.

    The first second is left out: it raises the fault, and a record written would allocate.
    """
    main = MAIN[: MAIN.index(b"class Role")] + b"from tabledev.app.roles import make_role\n"
    main += MAIN[MAIN.index(b"hal = build") :].replace(
        b"Table(hal, Role)", b"Table(hal, make_role)"
    )
    flash = dict.fromkeys(CONFIGURATION_FILES, configuration(role=6))
    with WasmBoard({**program(), "/main.py": main}, flash=flash, limit_s=60) as board:
        assert board.boot().errors == ""
        now = board.now_us
        events = [[now + 1_000, "pin", 6, 1]]
        for n in range(20):
            start = now + 1_500_000 + 200_000 * n
            for t_us, pin, level in (
                (0, 2, 1),
                (20_000, 3, 1),
                (80_000, 3, 0),
                (100_000, 2, 0),
            ):
                events.append([start + t_us, "pin", pin, level])
        board.play(events, now)
        heard = "table.control()\n        table.engine.order(0x35, said)"
        steps = EDGES[: EDGES.index("steps(2)")].replace("table.control()", heard)
        steps = "said = [0, 1, 7, 0, 0]\n" + steps
        board.exec(steps + "steps(25)")
        board.exec("table.role.order(0x56, (1, 416, 0), table.now_us())\nsteps(40)")
        board.exec("table.role.control.phase = 4")
        assert board.exec("steps(3)\nprint(steps(50))").split() == ["0"]
        assert board.exec("print(table.role.control.faults.is_active(938))").split() == ["True"]
