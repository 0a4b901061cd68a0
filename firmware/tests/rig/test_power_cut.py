"""The power cut at every change of the flash, on the VM with the real files and the real role.

The changes of each step are counted in a rehearsal, then each is cut: before, in the middle of
and at the end of what it writes. All bytes of all writes are cut in test_power_matrix.
"""

import pytest
from tests.rig.desk import TILT, Desk
from tests.rig.power_case import Books

from hil_tests.thinned import thinned
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.framing import Receiver

# Bytes of a change that arrive: none, part of any file, all but the last of a record.
BYTES = thinned((0, 20, 1, 200), 2)
# Changes of a step: each file written is emptied, unless it is empty, and filled.
LEAST = {
    "boot": 4,
    "opening": 5,
    "close": 1,
    "void": 6,
    "fault": 5,
    "fault_over": 5,
    "configuration": 4,
    "acknowledge": 1,
}


class Night:
    """One table for all cuts, and the books of its host."""

    def __init__(self, desk):
        self.desk = desk
        self.books = Books({})
        self.before = {}  # reported before the cut, not acknowledged
        self.waiting = {}
        self.value = 7

    def hear(self, frames):
        self.books.hear(frames)
        for frame in frames:
            if frame.flags & m.FLAG_DURABLE:
                self.waiting[frame.boot, frame.counter] = frame
        return frames

    def play(self, ms, *events):
        return self.hear(self.desk.play(ms, events))

    def send(self, ident, values=(), round=0):
        return self.hear(self.desk.send(ident, values, round=round, ms=100))

    def acknowledge(self):
        """Acknowledge all, and let the table free its flash, one record in 80 ms."""
        frames, self.waiting = list(self.waiting.values()), {}
        self.hear(self.desk.acknowledge(frames, ms=100 * len(frames) + 200))

    def boot(self, cause=None):
        self.before, self.waiting = self.waiting, {}
        self.desk._receiver = Receiver()
        board = self.desk.board
        self.hear(self.desk.take(board.boot() if cause is None else board.reset(cause)))
        return self.play(1200)

    def prepare(self, step):
        """Bring the table to where the step begins; returns the number of the round."""
        self.play(10, (0, "pin", TILT, 0))
        self.boot("power")
        self.acknowledge()
        self.play(3000 if step != "opening" else 1500)
        self.acknowledge()
        if step in ("close", "void"):
            self.play(5000)
            self.acknowledge()
        if step == "fault_over":
            self.play(500, (0, "pin", TILT, 1))
            self.acknowledge()
        if step == "acknowledge":
            self.play(500, (0, "pin", TILT, 1))
        return max(frame.round for _, frame in self.desk.frames)

    def take(self, step, number):
        """Do the step."""
        if step == "boot":
            self.boot("power")
        elif step == "opening":
            self.play(6000)
        elif step == "close":
            self.send(m.CLOSE_BETS, round=number)
        elif step == "void":
            self.send(m.VOID_ROUND, [codes.CROUPIER_VOID], round=number)
        elif step in ("fault", "fault_over"):
            self.play(1500, (0, "pin", TILT, int(step == "fault")))
        elif step == "configuration":
            self.value = 4 if self.value == 7 else 7
            self.send(m.SET_CONFIGURATION, [roulette.MIN_CIRCUITS, self.value])
        else:
            self.acknowledge()

    def check(self):
        """After the boot: nothing lost, one name one record, rounds over once, no error."""
        missing = [name for name in self.before if name not in self.waiting]
        assert not missing, f"lost: {missing}"
        self.books.check_all_over()
        self.acknowledge()
        assert self.desk.errors == ""


@pytest.fixture(scope="module")
def night():
    """A table that goes on from one cut to the next, as it must."""
    with Desk() as desk:
        table = Night(desk)
        table.hear([frame for _, frame in desk.frames])
        table.play(1000)
        yield table


def cut(night, step, change, byte):
    """Do the step with the power cut at a change of the flash; False when it makes fewer."""
    number = night.prepare(step)
    old = night.value
    boot, cuts = night.desk.boot, len(night.desk.resets)
    night.desk.board.power_cut_after(writes=change, byte=byte)
    night.take(step, number)
    if "power_cut" not in [cause for _, cause in night.desk.resets[cuts:]]:
        night.desk.board.power_cut_after(writes=1_000_000, byte=0)
        return False
    night.boot()
    night.check()
    assert night.desk.boot > boot
    answer = night.send(m.GET_CONFIGURATION, [roulette.MIN_CIRCUITS])
    values = [frame.values[1] for frame in answer if frame.type == m.CONFIGURATION]
    assert values[0] in (old, night.value)
    night.value = values[0]
    return True


@pytest.mark.parametrize("step", LEAST)
def test_every_change_of_the_flash(night, step):
    """Each cut at two places (`make soak`: four); the table is as before the step or as after."""
    cases = 0
    for byte in BYTES:
        change = 1
        while cut(night, step, change, byte):
            change += 1
            cases += 1
    print(f"power cuts on the VM: {step}: {change - 1} changes, {cases} cases")
    assert cases >= len(BYTES) * LEAST[step]


@pytest.mark.parametrize("cause", ["watchdog", "hard"])
def test_a_reset_at_every_step_of_a_round(night, cause):
    """Closed, bets open, bets closed, over: the round is void once or has its own end."""
    for step in ("configuration", "close", "void", "fault"):
        number = night.prepare(step)
        night.take(step, number)
        night.boot(cause)
        night.check()
