"""`serve` finds a table by its serial number when its port has another name."""

import time
from contextlib import ExitStack

from host_tools.tests.emulated import SECRET, Played
from host_tools.tests.served import Host, french, until
from tableemulator.machines.repeater import Served

KEYS = {number: {1: SECRET} for number in (7, 8)}


def test_two_exchanged_plugs_stop_no_table(tmp_path):
    """Each port of the settings leads to the other table: both play, one log line says it."""
    with ExitStack() as stack:
        ports = {device: stack.enter_context(Served(Played(device))) for device in (7, 8)}
        tables = [french("R7", ports[8].url, 7), french("R8", ports[7].url, 8)]
        host = stack.enter_context(Host(str(tmp_path / "ledger"), tables, keys=KEYS))
        host.pit.context.__dict__
        time.sleep(15)
        for line in host.lines: print(line)
        print({s.place.name: s.live.facts['link'] for s in host.pit.seats.values()})
        assert 0
