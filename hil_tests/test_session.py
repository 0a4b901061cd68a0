"""A fault that gives another code fails with what a person needs to look into it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hil_tests.decisions import decided_table
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS
from tableemulator.shipped_controller import pending_records
from tabletools.replay import AGREES, replayed
from tablewire import codes, messages
from tablewire.codec import Frame
from tablewire.framing import Receiver


def test_a_missed_fault_names_seed_round_and_trace(monkeypatch, tmp_path: Path) -> None:
    """The code it gave, the code expected, and a file that replays."""
    monkeypatch.setattr(play_session, "mkdtemp", lambda prefix: str(tmp_path))
    table = decided_table(Geometry(), "seed 12")
    table.spin()
    tilt = fault_catalogue.find("tilt", FAULTS)
    with pytest.raises(play_session.FaultMissed) as missed:
        play_session.provoke(table, replace(tilt, code=codes.DOME_OPEN))
    text = str(missed.value)
    assert text.startswith("tilt gave 401 and faults [401], not 402 with 402")
    assert "seed 'seed 12', round 2" in text
    file = re.search(r"tabletool replay (\S+)", text)
    assert file is not None
    assert replayed(Path(file[1]).read_bytes())[2].word == AGREES


def test_a_fault_with_its_code_is_returned() -> None:
    """As it was played."""
    table = decided_table(Geometry(), 3)
    assert play_session.provoke(table, fault_catalogue.find("tilt", FAULTS)).reason == codes.TILT


def test_a_journal_is_full_after_a_power_cut_that_left_no_record() -> None:
    """The host acknowledged all; 28 of the 32 slots then hold records of the same device."""
    received = Receiver()
    frames: list[Frame] = []

    def listen(_when: int, direction: str, data: bytes) -> None:
        if direction == FROM_TABLE:
            frames.extend(each for each in received.feed(data) if isinstance(each, Frame))

    with play_session.emulated_table(Geometry(), 3, listen=listen) as table:
        table.spin()
        assert pending_records(table.controller.board.flash) == frozenset()
        table.cut_power(full=True)
        table.step(table.now_us + 10_000_000)
    closed = [each for each in frames if each.type == messages.BETS_CLOSED and not each.round]
    assert {(each.boot, each.counter) for each in closed} == {(1, n) for n in range(1, 29)}
    assert len({each.device for each in frames}) == 1
