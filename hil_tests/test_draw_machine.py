"""Whole draws: the shipped firmware on the VM, played to by the model of a draw machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tableemulator import fault_catalogue, play_session
from tableemulator.machines.draw_machine.draw_caller import BallDraw, DrawPlan, DrawTable
from tableemulator.machines.draw_machine.draw_faults import FAULTS, HOST_SILENT, LEFT_BEHIND
from tableemulator.machines.draw_machine.physical_draw import MIX_MS, DrawSetup
from tableemulator.shipped_controller import WasmController
from tablespec.reasons import REASONS
from tablespec.roles.draw_machine import REASONS as OURS
from tabletools.replay import AGREES, replayed
from tablewire import draw_machine as words
from tablewire import messages as m

KEY = bytes(range(32))
FAULT_CODES = {reason.number for reason in REASONS if reason.kind == "fault"}


def true(draw: BallDraw) -> bool:
    """Whether the numbers are those of the balls in the tube, in order, as reported one by one."""
    reported = tuple(number for _, number in draw.balls)
    counted = len(draw.numbers)
    return (
        draw.numbers == draw.rested[:counted] == reported[:counted]
        and reported == draw.rested[: len(reported)]
    )


@pytest.mark.parametrize(
    "setup", [DrawSetup(80, 20), DrawSetup(75, 0), DrawSetup(90, 0)], ids=["keno", "75", "90"]
)
def test_healthy_draws_give_the_true_numbers(setup: DrawSetup) -> None:
    """Keno by count, Bingo by the host's word; the replay of the trace comes to the same."""
    with play_session.emulated_table(setup, 4, key=(1, KEY)) as table:
        for _ in range(2):
            draw = table.spin()
            assert draw.reason is None
            assert true(draw)
            drawn, displayed, balls, ended_by = draw.ended.values[:4]
            assert balls == setup.balls
            assert ended_by == (words.DRAW_END_COUNT if setup.draws else words.DRAW_END_COMMAND)
            assert drawn == setup.draws or 4 <= drawn <= displayed <= 41
            trace, _run, verdict = replayed(table.controller.trace(draw.ended.round))
            assert verdict.word == AGREES, verdict
            assert trace.values[:5] == draw.ended.values[:5]
            assert bytes(trace.values[5:]) == draw.ended.values[5]
        assert table.errors == []


def test_ninety_balls_fit_frame_and_trace() -> None:
    """Bingo in which nobody wins: all ninety in one result, and a trace that proves them."""
    with play_session.emulated_table(DrawSetup(90, 90), 1, key=(1, KEY)) as table:
        draw = table.spin()
        assert (draw.reason, len(draw.numbers)) == (None, 90)
        assert true(draw)
        _trace, _run, verdict = replayed(table.controller.trace(draw.ended.round))
        assert verdict.word == AGREES, verdict
        assert table.errors == []


def test_the_exit_opens_once_blower_and_closed_bets_have_lasted() -> None:
    """Bets that close before the blower runs: the mixing counts from the later of the two."""

    def early(plan: DrawPlan) -> None:
        plan.opening.append((0.2, lambda table: table.order(m.CLOSE_BETS)))
        plan.blower_s, plan.exit_s = 2.0, MIX_MS / 1000 + 0.5

    with play_session.emulated_table(DrawSetup(80, 20), 4, key=(1, KEY)) as table:
        draw = table.spin(early)
        assert draw.reason is None
        assert true(draw)


def test_people_who_come_after_no_more_bets_draw_all_the_same() -> None:
    """The second round opens by itself and its bets close after 5 s: they come after 8."""
    with play_session.emulated_table(DrawSetup(80, 20), 4, key=(1, KEY)) as table:
        table.spin()
        late_us = table.now_us + 8_000_000
        table.wait(lambda: table.now_us >= late_us, 9_000_000, "go on")
        draw = table.spin()
        assert draw.reason is None
        assert true(draw)


@pytest.fixture(scope="module")
def table() -> Iterator[DrawTable]:
    """A machine that goes on from one fault to the next, as a real one does."""
    setup = DrawSetup(20, 6)
    controller = WasmController(setup)
    draw_table = DrawTable(controller, setup, 8)
    draw_table.spin()
    yield draw_table
    controller.close()


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.is_drawn])
def test_a_fault_gives_its_code(table: DrawTable, name: str) -> None:
    """The draw is void with the number expected, and decides nothing; mended, the next is true."""
    fault = fault_catalogue.find(name, FAULTS)
    draw = play_session.provoke(table, fault)
    trace = table.controller.trace(draw.ended.round)
    if trace is not None:
        assert replayed(trace)[2].word == AGREES
    after = table.spin()
    assert after.reason is None
    assert true(after)
    assert after.reported == after.true


def test_a_ball_left_behind_is_missed(table: DrawTable) -> None:
    """The draw before it stands; no round opens until the ball is back."""
    draw = play_session.play(table, LEFT_BEHIND)
    assert draw.reason is None
    assert draw.faults == (words.BALLS_MISSING,)
    assert table.active_faults == set()
    assert table.spin().reason is None


def test_a_round_that_ended_before_the_croupier_came_is_not_waited_for() -> None:
    """Opened behind the last draw, voided, then the power fails: the balls are counted at once."""
    with play_session.emulated_table(DrawSetup(20, 6), 4) as machine:
        machine.spin()
        machine.wait(lambda: machine._opened is not None, 10_000_000, "open the next round")
        machine.order_void()
        machine.step(machine.now_us + 100_000)
        machine.cut_power()
        began_us = machine.now_us
        draw = machine.spin()
        assert (draw.reason, true(draw)) == (None, True)
        assert machine.now_us - began_us < 60_000_000


def test_a_count_waits_for_a_host_that_is_away() -> None:
    """It passes on what the croupier declares a minute later."""
    setup = DrawSetup(20, 6)

    def pass_on_later(ident: int, values: tuple[int, ...]) -> bytes:
        command = machine._pit.command(ident, values)
        machine.schedule(machine.now_us + 60_000_000, lambda table: table.send(command))
        return b""

    controller = WasmController(setup)
    machine = DrawTable(controller, setup, 4, command=pass_on_later)
    draw = machine.spin()
    assert (draw.reason, true(draw)) == (None, True)
    controller.close()


def test_a_host_that_is_silent_ends_the_draw() -> None:
    """No number is reported that cannot be kept; what was kept comes once the host is back."""
    with play_session.emulated_table(DrawSetup(80, 60), 3) as machine:
        machine.spin(lambda plan: None)
        draw = play_session.play(machine, HOST_SILENT)
        assert draw.reason == words.BALL_NOT_RECORDED
        reported = [number for _, number in draw.balls]
        assert 15 < len(reported) < 32
        assert tuple(reported) == draw.rested[: len(reported)]


def test_the_lists_are_equal() -> None:
    """A fault for each code of the machine, and each code in the catalogue."""
    codes = {fault.code for fault in FAULTS if 900 <= fault.code < 930}
    assert codes == {reason.number for reason in OURS}
    assert {r.number for r in OURS if r.kind == "fault"} == set(words.FAULT_CODES)
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_every_durable_record_of_a_draw(table: DrawTable) -> None:
    """In the order of a draw: opened, closed, each ball, the result; the count before it."""
    reported: list[int] = []
    table._listen = lambda *_: None
    read = table._read

    def hear(when: int, frame: object) -> None:
        if frame.flags & m.FLAG_DURABLE and not frame.flags & m.FLAG_RETRANSMITTED:  # type: ignore[attr-defined]
            reported.append(frame.type)  # type: ignore[attr-defined]
        read(when, frame)  # type: ignore[arg-type]

    table._read = hear  # type: ignore[method-assign]
    table.spin()
    del table._read  # type: ignore[method-assign]
    first = reported.index(m.BETS_CLOSED)
    assert reported[first : first + 8] == [
        m.BETS_CLOSED,
        *[words.BALL_DRAWN] * 6,
        words.DRAW_RESULT,
    ]
    assert reported[first + 8 : first + 10] == [words.BALLS_COUNTED, m.ROUND_OPENED]
