"""How soon a host has a throw of dice read: its players wait for the number."""

import threading

from host_tools.tests.pit import DEVICE, FRENCH, Pit
from tabletools.pit.assignments import TableAssignment
from tabletools.pit.host import TableHost
from tabletools.pit.host_context import HostContext
from tabletools.pit.live import LiveTable


class Reader:
    """Notes when its step is due. is_awaited: as a test says."""

    is_awaited = False

    def __init__(self, clock):
        self.times_ms = []
        self._clock = clock
        self._began_ns = clock.mono_ns()

    def step(self):
        self.times_ms.append((self._clock.mono_ns() - self._began_ns) // 1_000_000)


def test_a_throw_is_looked_for_with_each_record_and_often_while_one_waits(tmp_path):
    """A record of 410 ms is a result: its throw is photographed at once; what was read by 600 ms
    is stored within 50 ms."""
    pit = Pit(str(tmp_path / "ledger"))
    context = HostContext(pit.ledger, lambda device: {}, "host a")
    place = TableAssignment(pit.table, "D1", DEVICE, "line", FRENCH)
    host = TableHost(context, place, LiveTable({}, "run", pit.clock), threading.Event())
    reader = Reader(pit.clock)
    for now_ms in range(0, 1200, 10):
        host._read_throws(reader, is_news=now_ms == 410)
        reader.is_awaited = 410 <= now_ms < 800
        pit.clock.pass_ms(10)
    pit.ledger.close()
    assert reader.times_ms == [0, 200, 400, 410, 600, 650, 700, 750, 800, 850, 1050]
