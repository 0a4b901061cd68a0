"""Commands in a burst against the shipped firmware: the link writes no faster than it reads."""

from __future__ import annotations

from hil_tests.board_port import linked
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablespec import provisioning
from tabletools.link import ONLINE, Session
from tablewire import messages as m
from tablewire.codec import Frame


def test_five_hundred_commands_at_once_overflow_nothing() -> None:
    """Paced by the link: every one is answered once, and the board lost no byte."""
    copy = provisioning.configuration(auto_open=0)
    with WasmBoard(program(), flash=dict.fromkeys(CONFIGURATION_FILES, copy)) as board:
        board.boot()
        answers: list[int] = []
        refused: set[int] = set()  # frames_skipped: a buffer found full counts there too

        def hear(frame: Frame) -> None:
            if frame.type == m.CONFIGURATION:
                answers.append(frame.values[0])
            elif frame.type == m.HEARTBEAT:
                refused.add(frame.values[7])

        session = Session(on_frame=hear)
        link = linked(board)("board", session)
        while session.state != ONLINE:
            link.step()
        orders = [session.command(m.GET_CONFIGURATION, (1 + n % 24,), 0) for n in range(500)]
        start_us = board.now_us
        while len(answers) < len(orders) and board.now_us - start_us < 30_000_000:
            link.step()
        assert answers == [order.values[0] for order in orders]
        # 500 frames of 38 bytes, at 1,500 bytes a second.
        assert 11_000_000 < board.now_us - start_us < 15_000_000
        assert refused == {0}
