"""`serve` finds a table by its serial number when its port has another name."""

from contextlib import ExitStack

from host_tools.tests.collecting import Collecting
from host_tools.tests.emulated import SECRET, Played
from host_tools.tests.served import Host, french, until
from tableemulator.machines.repeater import Served
from tabletools.link import Notice
from tabletools.link.repeats import Repeats
from tabletools.pit.port_map import PortMap

KEYS = {number: {1: SECRET} for number in (7, 8)}


def linked(host):
    """The link of each table by its name."""
    return {seat.place.name: seat.live.facts["link"] for seat in host.pit.seats.values()}


def test_two_exchanged_plugs_stop_no_table(tmp_path):
    """Each port of the settings leads to the other table, whose records wait: both play."""
    with ExitStack() as stack:
        tables = {device: Played(device) for device in (7, 8)}
        for table in tables.values():
            table.open(1, is_read=False)
        ports = {device: stack.enter_context(Served(tables[device])) for device in (7, 8)}
        settings = [french("R7", ports[8].url, 7), french("R8", ports[7].url, 8)]
        host = stack.enter_context(Host(str(tmp_path / "ledger"), settings, keys=KEYS))
        both = {"R7": "online", "R8": "online"}
        until(lambda: linked(host) == both, 20, lambda: (linked(host), host.lines))
        tables[7].close(1)
        tables[7].end(1, 17)
        [seat] = [seat for seat in host.pit.seats.values() if seat.place.name == "R7"]
        until(lambda: seat.live.facts["results"], 20, lambda: host.lines)
    sought = [facts["table"] for event, facts in host.lines if event == "port_sought"]
    assert sorted(sought) == ["R7", "R8"]
    said = [event for event, _ in host.lines]
    assert "tampered" not in said
    assert len(said) <= 14


def ports(*listed, **own):
    """A map of tables by number; what USB has besides."""
    found = PortMap(lambda: listed)
    for device, port in own.items():
        found.add(int(device.removeprefix("t")), port)
    return found


def test_a_port_of_the_settings_is_not_left():
    """A table that is switched off is waited for, whatever else is plugged in."""
    found = ports("/dev/b", "/dev/c", t7="/dev/a", t8="/dev/b")
    assert found.next_of(7, "/dev/a", is_gone=False) == "/dev/a"
    found.answered("/dev/b", 8)
    assert found.next_of(7, "/dev/a", is_gone=False) == "/dev/a"
    line = ports("/dev/c", t7="socket://host:1")
    assert line.next_of(7, "socket://host:1", is_gone=True) == "socket://host:1"


def test_a_table_is_looked_for_where_it_may_be():
    """Its path is gone: at USB ports of no table here, and its own again, in turn."""
    found = ports("/dev/b", "/dev/c", "/dev/d", t7="/dev/a", t8="/dev/b")
    places, place = [], "/dev/a"
    for _ in range(4):
        place = found.next_of(7, place, is_gone=place == "/dev/a")
        places.append(place)
    assert places == ["/dev/c", "/dev/d", "/dev/a", "/dev/c"]
    found.answered("/dev/d", 7)
    assert found.next_of(7, "/dev/c", is_gone=False) == "/dev/d"
    assert found.next_of(7, "/dev/d", is_gone=True) == "/dev/a"


def test_of_two_exchanged_tables_one_may_be_off():
    """The one that answers is found; the other waits at the port that is left."""
    found = ports(t7="/dev/a", t8="/dev/b", t9="/dev/e")
    found.answered("/dev/b", 7)
    assert found.next_of(7, "/dev/a", is_gone=False) == "/dev/b"
    assert found.next_of(8, "/dev/b", is_gone=False) == "/dev/a"
    assert found.next_of(8, "/dev/a", is_gone=False) == "/dev/a"
    assert found.next_of(9, "/dev/e", is_gone=False) == "/dev/e"


def test_a_stable_name_is_the_port_it_leads_to(tmp_path):
    """By id, or by the path that USB gave it: one port, and the name of the settings is used."""
    device, link = tmp_path / "ttyUSB0", tmp_path / "by-id"
    device.touch()
    link.symlink_to(device)
    found = ports(str(device), t7=str(link), t8="/dev/b")
    assert found.next_of(7, str(link), is_gone=False) == str(link)
    found.answered(str(device), 7)
    assert found.next_of(7, str(link), is_gone=False) == str(link)
    assert found.next_of(7, "/dev/b", is_gone=False) == str(link)
    found.answered(str(device), 8)
    assert found.next_of(7, str(link), is_gone=False) == "/dev/b"
    assert found.next_of(8, "/dev/b", is_gone=False) == str(link)


def test_a_cause_has_one_line_with_a_count():
    """First at once, then one a minute, ten minutes, an hour; after a quiet minute it is new."""
    repeats, text = Repeats(), "the clock of the table is {} ms ahead"
    lines = []
    for second in range(700):
        notice = Notice("clock_step", text.format(second), error=True)
        if (shown := repeats.take(notice, float(second))) is not None:
            lines.append((second, shown.text.partition(" (")[2]))
    assert lines == [(0, ""), (60, "59 times more before)"), (660, "599 times more before)")]
    assert repeats.take(Notice("clock_step", text.format(1)), 800.0).text.endswith("ahead")
    for _ in range(3):
        assert repeats.take(Notice("offline", "no frame"), 0.0) is not None


def test_a_clock_that_runs_off_makes_one_alarm(tmp_path):
    """Four hundred steps in a hundred seconds over four rounds: one alarm that counts them."""
    here = Collecting(str(tmp_path / "night.db"))
    for number in range(400):
        here.clock.pass_ms(240)
        here.table.sender.advance(250)
        here.take(here.session.tick(here.now_s()))
        here.collector.tick()
        here.turn()
        here.beat()
        if number % 100 == 50:
            here.round(number // 100 + 1)
    assert here.rows("SELECT kind, repeats FROM alarms") == [("device_clock", 399)]
    steps = here.rows("SELECT step_ns FROM clock_steps")
    assert len(steps) == 2
    here.close()
