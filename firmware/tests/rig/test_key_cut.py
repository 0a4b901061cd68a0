"""The power cut at every byte written while a key is set: the old key or the new, never none."""

import pytest
from tests.fakes import KEY, Host, Role, command, keyed, make_hal, provisioned
from tests.rig.power_case import tears

from tabledev.app.table import Table
from tablewire import messages as m

NEW_KEY = bytes(range(200, 232))
SERIAL = 77


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


def provisioning(serial):
    bench = Bench(provisioned())
    bench.note()
    bench.hal.link.incoming = command(m.SET_KEY, (1, serial, NEW_KEY))
    bench.table.exchange()
    return bench


def rotation(serial):
    bench = Bench(keyed())
    host = Host(bench.hal, bench.table)
    host.start()
    bench.note()
    host.send(m.SET_KEY, (2, serial, host.session.mask(host.sender.counter + 1, NEW_KEY)))
    return bench


def opens(files, key):
    """Whether a session can be had under a key after a boot from these files."""
    hal = make_hal(files)
    table = Table(hal, Role)
    table.start()
    hal.link.frames()
    assert not table.trust.damaged
    assert table.role.standing == []
    Host(hal, table, key).start()
    return table.trust.session is not None


def number_of(files):
    hal = make_hal(files)
    return Table(hal, Role).trust.number


@pytest.mark.parametrize("serial", [0, SERIAL])
@pytest.mark.parametrize(
    ("change", "old", "old_key", "new"), [(provisioning, 0, None, 1), (rotation, 1, KEY, 2)]
)
def test_every_byte(change, old, old_key, new, serial):
    """After each cut one of the two keys, whole, opens a session; once it is new it stays new."""
    cuts = change(serial).cuts
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
            found = number_of(after)
            assert found in (old, new), f"{name}, {label}: key {found}"
            if was_new and name != "key.0":
                assert found == new, f"{name}, {label}: the old key came back"
            if found == new or old_key:
                assert opens(after, NEW_KEY if found == new else old_key), f"{name}, {label}"
            was_new = found == new
            cases += 1
    print(f"power cuts while a key is set: {len(cuts)} writes, {cases} cases")
    assert was_new
    assert cases >= 200
