"""Reading faces takes long: what the table does meanwhile, on the VM with the shipped firmware."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from hil_tests.test_dice_tray import healthy
from tableemulator import play_session
from tableemulator.machines.core.harness import PACED_SLICE_US
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.dice_tray.stickman import ThrowPlan, TrayTable
from tableemulator.shipped_controller import WasmController
from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

# As slow as a board without native code: 1000 steps, and nothing read at the end.
SLOW = """
from tablelogic.dice_tray.eye import Eye
read = Eye.steps
def slow(self, frame):
    for _ in range(1000):
        yield
Eye.steps = slow
"""
HEARTBEAT_MS, CONTROL_MS, STEP_MS = 500, 40, 10
REACH_MS = 150  # an edge beam is covered for longer than a die covers it


class Heard:
    """What the table sent: (time in ms, frame).

    late_ms: the longest from the end of a frame on the line until somebody could read it.
    """

    def __init__(self) -> None:
        self.frames: list[tuple[int, Frame]] = []
        self.late_ms = 0
        self.table: TrayTable | None = None
        self._receiver = Receiver()

    def take(self, when: int, direction: str, data: bytes) -> None:
        """See harness.Listener."""
        if direction == "<":
            if self.table is not None:
                self.late_ms = max(self.late_ms, (self.table.now_us - when) // 1000)
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
        plan.after(6.0, lambda scene: scene.tray.cross_edge(600_000))

    controller = WasmController(TraySetup(1), turn_us=1000 * STEP_MS)
    try:
        table = TrayTable(controller, TraySetup(1), 5, listen=heard.take, pace=lambda _table: None)
        heard.table = table
        controller.board.exec(SLOW)
        thrown = table.spin(reaches_in)
        assert thrown.reason == words.TRAY_OBSTRUCTED
        (void_ms,) = heard.times(m.ROUND_VOID)
        assert REACH_MS <= void_ms - arm_ms <= REACH_MS + 4 * CONTROL_MS
        # The reading had begun, and was dropped: nothing was reported of it.
        assert not any(arm_ms - 3_000 < when < void_ms for when in heard.times(words.DICE_SEEN))
        beats = [frame.uptime_ms for _, frame in heard.frames if frame.type == m.HEARTBEAT]
        assert len(beats) > 20
        # While bets are open they come twice as often.
        for a, b in pairwise(beats):
            period_ms = HEARTBEAT_MS if b - a > HEARTBEAT_MS * 3 // 4 else HEARTBEAT_MS // 2
            assert abs(b - a - period_ms) <= 2 * STEP_MS
        assert heard.late_ms <= PACED_SLICE_US // 1000
        controller.board.exec("Eye.steps = read")
        after = healthy(table)
        assert after.reported == after.true
    finally:
        controller.close()


def test_on_a_port_a_board_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the wall clock, or it is silent to its host for as long as it reads; else none at all."""
    times: list[int | None] = []

    def note(_setup: Any, *, turn_us: int | None, **_options: Any) -> Any:
        times.append(turn_us)
        raise InterruptedError

    monkeypatch.setattr(play_session, "WasmController", note)
    for pace in (None, lambda _table: None):
        with (
            pytest.raises(InterruptedError),
            play_session.emulated_table(TraySetup(1), 1, pace=pace),
        ):
            pass
    assert times == [0, None]
