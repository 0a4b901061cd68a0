"""Reading faces takes long: what the table does meanwhile, on the VM with the shipped firmware."""

from __future__ import annotations

from itertools import pairwise

from hil_tests.controller import WasmController
from hil_tests.emulators.bank import Event
from hil_tests.emulators.tray_hands import ThrowPlan
from hil_tests.emulators.tray_table import TraySetup, TrayTable
from hil_tests.rigs.wasm import Output
from hil_tests.test_tray import healthy
from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

# As slow as a board without native code: 600 steps of 20 ms, and nothing read at the end.
SLOW = """
import time
from tablelogic.dice_tray.eye import Eye
read = Eye.steps
def slow(self, frame):
    for _ in range(600):
        time.sleep_ms(20)
        yield
Eye.steps = slow
"""
HEARTBEAT_MS, CONTROL_MS, STEP_MS = 500, 40, 20
REACH_MS = 150  # an edge beam is covered for longer than a die covers it


class Busy(WasmController):
    """A controller whose steps take time, so that it may be past the end of a slice already."""

    def play(self, events: list[Event], until_us: int) -> Output:
        now_us = self.board.now_us
        late = [[max(event[0], now_us), *event[1:]] for event in events]
        return super().play(late, max(until_us, now_us))


class Heard:
    """What the table sent: (time in ms, frame)."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, Frame]] = []
        self._receiver = Receiver()

    def take(self, when: int, direction: str, data: bytes) -> None:
        """See harness.Listener."""
        if direction == "<":
            for frame in self._receiver.feed(data):
                assert isinstance(frame, Frame)
                self.frames.append((when // 1000, frame))

    def times(self, kind: int) -> list[int]:
        """When messages of a kind came."""
        return [when for when, frame in self.frames if frame.type == kind]


def test_the_table_lives_while_it_reads() -> None:
    """Heartbeats keep their period, an arm ends the round at once, the next round is right."""
    heard = Heard()
    arm_ms = 0

    def reaches_in(plan: ThrowPlan) -> None:
        nonlocal arm_ms
        arm_ms = plan.throw_us // 1000 + 6_000
        plan.after(6.0, lambda scene: scene.wheel.cross_edge(600_000))

    controller = Busy(TraySetup(1))
    try:
        table = TrayTable(controller, TraySetup(1), 5, listen=heard.take)
        controller.board.exec(SLOW)
        thrown = table.spin(reaches_in)
        assert thrown.reason == words.TRAY_OBSTRUCTED
        (void_ms,) = heard.times(m.ROUND_VOID)
        assert REACH_MS <= void_ms - arm_ms <= REACH_MS + 4 * CONTROL_MS
        # The reading had begun, and was dropped: nothing was told of it.
        assert not any(arm_ms - 3_000 < when < void_ms for when in heard.times(words.DICE_SEEN))
        beats = [frame.uptime_ms for _, frame in heard.frames if frame.type == m.HEARTBEAT]
        assert len(beats) > 20
        assert all(abs(b - a - HEARTBEAT_MS) <= 2 * STEP_MS for a, b in pairwise(beats))
        controller.board.exec("Eye.steps = read")
        after = healthy(table)
        assert after.told == after.true
    finally:
        controller.close()
