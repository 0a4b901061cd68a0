"""The power cut at every byte written while a key is set: the old key or the new, never none."""

import pytest
from tests.fakes import KEY, Host, Role, command, keyed, make_hal, provisioned
from tests.rig.power_case import tears

from tabledev.app.table import Table
from tablewire import messages as m
from tablewire.rotation import agreed
from tablewire.x25519 import BASE_POINT, finish, multiply

NEW_KEY = bytes(range(200, 232))
SERIAL = 77
HOST_SECRET = bytes(range(1, 33))


class Bench:
    """A table whose flash writes are noted as (files before, name, data)."""

    def __init__(self, files):
        self.hal = make_hal(files)
        self.table = Table(self.hal, Role)
        self.table.start()
        self.hal.link.frames()
        self.cuts = []

    def note(self):
        write = self.hal.flash.write

        def noted(name, data):
            self.cuts.append((dict(self.hal.flash.files), name, bytes(data)))
            write(name, data)

        self.hal.flash.write = noted


def set_key(bench, serial):
    """Provisioned with a key in the clear."""
    bench.note()
    bench.hal.link.incoming = command(m.SET_KEY, (bench.table.trust.number + 1, serial, NEW_KEY))
    bench.table.exchange()
    return bench, NEW_KEY


def provisioning(serial):
    """The first key of a table."""
    return set_key(Bench(provisioned()), serial)


def replacement(serial):
    """With the maintenance switch turned, by a person who need not know the key before."""
    bench = Bench(keyed())
    bench.table.trust.held = True
    return set_key(bench, serial)


def rotation(_serial):
    """Agreed on under a session; noted from the offer on."""
    bench = Bench(keyed())
    host = Host(bench.hal, bench.table)
    host.start()
    public = finish(multiply(HOST_SECRET, BASE_POINT))
    bench.note()
    host.send(m.OFFER_KEY, (2, public))
    while bench.table.work():
        pass
    (answer,) = bench.hal.link.frames()
    assert bench.cuts == []
    shared = finish(multiply(HOST_SECRET, answer.values[1]))
    device = bench.table.store.serial
    key, _, proof = agreed(KEY, shared, device, 2, public, answer.values[1])
    host.send(m.CONFIRM_KEY, (2, proof))
    return bench, key


def opens(files, key):
    """Whether a session can be had under a key after a boot from these files."""
    hal = make_hal(files)
    table = Table(hal, Role)
    table.start()
    hal.link.frames()
    assert not table.trust.damaged
    assert table.role.active_faults == []
    Host(hal, table, key).start()
    return table.trust.session is not None


def number_of(files):
    hal = make_hal(files)
    return Table(hal, Role).trust.number


@pytest.mark.parametrize(
    ("change", "serial", "old", "old_key", "new"),
    [
        (provisioning, 0, 0, None, 1),
        (provisioning, SERIAL, 0, None, 1),
        (replacement, 0, 1, KEY, 2),
        (replacement, SERIAL, 1, KEY, 2),
        (rotation, 0, 1, KEY, 2),
    ],
)
def test_every_byte(change, serial, old, old_key, new):
    """After each cut one of the two keys, whole, opens a session; once it is new it stays new."""
    bench, new_key = change(serial)
    cuts = bench.cuts
    names = [name.split(".")[0] for _, name, _ in cuts]
    assert names == ["counters"] * 2 * bool(serial) + ["key", "key", "record"]
    cases = 0
    was_new = False
    for files, name, data in cuts:
        for label, torn in tears(files.get(name), data):
            after = dict(files)
            after.pop(name, None)
            if torn is not None:
                after[name] = torn
            number = number_of(after)
            assert number in (old, new), f"{name}, {label}: key {number}"
            if was_new and name != "key.0":
                assert number == new, f"{name}, {label}: the old key came back"
            if number == new or old_key:
                assert opens(after, new_key if number == new else old_key), f"{name}, {label}"
            was_new = number == new
            cases += 1
    print(f"power cuts while a key is set: {len(cuts)} writes, {cases} cases")
    assert was_new
    assert cases >= 200
