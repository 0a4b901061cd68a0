"""The power-cut matrix, enumerated, with its size; the long form is `make soak`."""

import pytest
from tests.rig import power_matrix
from tests.rig.power_case import few

from hil_tests.thinned import thinned
from tabledev.app import configure
from tabledev.app.controller import Controller
from tabledev.app.outbox import Outbox
from tabledev.app.transmitter import Transmitter
from tablewire import messages as m
from tablewire import roulette


@pytest.fixture(scope="module")
def cuts():
    """The flash writes of the evening."""
    return power_matrix.evening()


def test_every_byte_of_every_write(cuts):
    """Nothing lost, doubled or invented; open rounds void once; the table plays on.

    Each sixth tear; all of them by `make soak`.
    """
    kinds = {cut.name.split(".")[0] for cut in cuts}
    assert kinds == {"config", "counters", "faults", "record"}
    cases = power_matrix.cases(cuts)
    assert (len(cuts), len(cases)) == (89, 9446)
    power_matrix.single(thinned(cases, 10))


def test_brown_out(cuts):
    """The power goes again during each write of the boot after a cut."""
    count = power_matrix.double(cuts[::4], few)
    print(f"brown-outs: {count} cases")
    assert count >= 1000


def test_a_task_that_stops_at_any_write():
    """The flash refuses one write: the round ends once, the table goes on, nothing is lost."""
    assert power_matrix.crashes() >= 150


def test_flash_wear_of_a_round():
    """Files that one round writes and their bytes, as in decisions/firmware.md."""
    played = power_matrix.Evening()
    played.boot()
    before = len(played.cuts)
    for _ in range(100):
        played.play(roulette.WHEEL_RESULT)
        played.acknowledge()
    written = played.cuts[before:]
    files, size = len(written), sum(len(cut.data) for cut in written)
    print(f"flash wear: {files / 100} files, {size / 100} bytes a round")
    # Three records, each written and freed, and both copies of the counters twice.
    assert files == 100 * (3 * 2 + 2 * 2)
    assert size == 100 * (41 + 40 + 59 + 4 * 32)


def _sent_before_it_is_safe(self, ident, values):
    self._stamp()
    length = self.sender.pack(ident, values, 2)
    journal, self.outbox._journal = self.outbox._journal, _Nothing()
    self.outbox.put(self.sender.buf, length)
    self.outbox._journal = journal
    return True


class _Nothing:
    """A journal whose flash keeps nothing."""

    def __init__(self):
        self.flash = self

    def sealed(self, slot, buf, length):
        return "", b""

    def write(self, name, data):
        pass


def _marked_first(self, ident, values):
    if self._store.is_open:
        self._store.close_round()
        self._store.save_round()
        self._transmitter.journal(ident, values)
    self._transmitter.pump()


def _store_before_record(table, values, cause, revision, reported):
    before = table.store.config
    table.store.replace(values)
    for number in configure._differences(before, values):
        record = [number, values[number], before[number], cause, revision]
        table.transmitter.journal(m.CONFIGURATION_CHANGED, record)


@pytest.mark.parametrize(
    ("where", "name", "broken"),
    [
        (Transmitter, "journal", _sent_before_it_is_safe),
        (Controller, "ended", _marked_first),
        (Outbox, "save", lambda self, buf: None),
        (Outbox, "last_round", lambda self: None),
        (configure, "_write", _store_before_record),
        (configure, "finish", lambda table, record: None),
    ],
)
@pytest.mark.one_in(2)
def test_the_matrix_sees_a_mistake(monkeypatch, where, name, broken):
    """Not kept, an end or a value stored before its record, the journal not asked: all found.

    By the tears that are tried above, so by those of `make test` too.
    """
    monkeypatch.setattr(where, name, broken)
    with pytest.raises(AssertionError):
        power_matrix.single(thinned(power_matrix.cases(power_matrix.evening()), 10))
