"""Whole spins on rig `rp2040js`: the shipped program under the user's MicroPython on an RP2040.

Left out unless RIG names the rig: a spin takes about half a minute, and no MicroPython is part of
this tree.
"""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

import board_files
from hil_tests.rigs.rig_states import RigState
from hil_tests.rigs.rp2040js import BOARD, GET, HOW, NAME, Rp2040Rig, asked, report
from hil_tests.rp2040_controller import MERGED, NotPlayedError, Rp2040Controller, latches
from hil_tests.thinned import thinned
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS

SPINS = 2
KEY = (1, bytes(range(32)))
if os.environ.get("RIG") != NAME:
    reason = f"no spin was played under MicroPython on an RP2040: {HOW} ({GET})"
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def rig(request):
    """The rig, for all tests of the run: once it has failed, none of them tries it again.

    It says what it cannot show, what runs, and at the end what was asked for in vain.
    """
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def tell(lines):
        with capture.global_and_fixture_disabled():
            print("", *lines, sep="\n")

    tell(report())
    files = [Path(os.environ.get(name, "")) for name in ("UF2", "BOOTROM")]
    loads = latches(board_files.load(BOARD).data)
    rig = Rp2040Rig(RigState(None), *files, latches=loads)
    tell([f"what runs: {rig.reported}"])
    yield rig
    tell(asked(rig.notes))


@pytest.fixture
def tables(rig):
    """What makes a table of a geometry; its board is switched off at the end."""
    with ExitStack() as opened:

        def make(geometry, seed, key=None):
            played, wired = (board_files.load(name).data for name in ("emulated", BOARD))
            controller = Rp2040Controller(rig.board(geometry, key), played, wired)
            opened.callback(rig.switch_off, controller.board)
            bytes_of_key = key[1] if key else None
            return rig.guarded(lambda: RouletteTable(controller, geometry, seed, key=bytes_of_key))

        yield make


@pytest.mark.parametrize("wheel", ["single", "double"])
def test_healthy_spins_give_the_true_number(rig, tables, wheel):
    """The number is where the ball lies; nothing was lost on the line, nothing raised."""
    table = tables(Geometry(wheel, "head"), f"{wheel} {NAME}")
    for _ in range(SPINS):
        spin = rig.guarded(table.spin)
        assert spin.reported == spin.true is not None
    assert table.errors == []
    assert table.controller.board.lost == 0


@pytest.mark.parametrize("name", [fault.name for fault in thinned(FAULTS, 6)])
def test_a_fault_gives_its_code(rig, tables, name):
    """The round is void with the number expected."""
    fault = fault_catalogue.find(name)
    table = tables(Geometry("double", "head"), 7, KEY if fault.keyed else None)
    try:
        spin = rig.guarded(lambda: play_session.play(table, fault))
    except NotPlayedError as error:
        pytest.skip(f"{name}: {error}")
    code = MERGED.get(name, fault.code)
    assert spin.reason == MERGED.get(name, fault.reason)
    assert code in (spin.reason, *spin.faults)
