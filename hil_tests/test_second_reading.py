"""A throw of the shipped tray on the shipped host: paid once the host has read its picture too.

In virtual time, over the serial line at its speed; the picture is in the trace that the host
fetches beside the rounds.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import select

from hil_tests.chips import device_of
from hil_tests.emulators.dice_tray.model import TraySetup
from hil_tests.virtual_pit import Line, Never, VirtualClock, hosted
from tabletools.evidence import second_readings
from tabletools.evidence.second_readings import Reading
from tabletools.money.verify import check
from tabletools.pit import second_reader
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit
from tabletools.pit.settings import Settings, TableSettings
from tabletools.store import Store
from tabletools.store.schema.play import rounds

TRAY = TraySetup(3)
KEY = 1, bytes(range(32))
READY_US, READ_US = 30_000_000, 70_000_000
# Three dice on three plates are often heard as two hits.
CHANGED = {"wall_hits": 2, "result_hold_ms": 20_000}


@contextmanager
def playing(place: str, seed: int) -> Iterator[Any]:
    """A table and its host, ready to open bets; the ledger is sound at the end."""
    clock, line, chip = VirtualClock(), Line(), 1
    ledger = Store.open(place, clock=clock)
    context = HostContext(
        ledger, lambda _device: dict([KEY]), "host", opener=lambda _url: line,
        readers=second_reader.Inline(),
    )  # fmt: skip
    table = TableSettings("D1", "its line", device_of(chip), "sic_bo", "hc2023")
    pit = Pit(context, Settings(tables=(table,)), over=Never())
    [seat] = pit.seats.values()
    with hosted(TRAY, seed, seat.host, line, clock, chip=chip, key=KEY, changed=CHANGED) as found:
        found.table.wait(
            lambda: seat.host.attendance is not None and seat.host.attendance.is_ready,
            READY_US, "report its configuration",
        )  # fmt: skip
        found.ledger, found.clock = ledger, clock
        yield found
        seat.host.leave()
    with ledger.read() as db:
        assert check(db).problems == []
    ledger.close()


def row(found: Any, number: int) -> Any:
    """The row of a round by the number that the table gave it."""
    with found.ledger.read() as db:
        return db.execute(select(rounds).where(rounds.c.number == number)).mappings().one()


def thrown(found: Any) -> Any:
    """A round that ended with faces."""
    for _ in range(6):
        played = found.table.spin()
        if row(found, played.ended.round)["verdict"] == "pending":
            return played
    raise AssertionError("every throw was void")


def test_a_throw_is_paid_when_its_picture_was_read(tmp_path):
    """Pending at its end, believed within a minute; what the host read is in the record."""
    with playing(str(tmp_path / "ledger"), 1) as found:
        played, ended_us = thrown(found), found.table.now_us
        number = played.ended.round
        found.table.wait(
            lambda: row(found, number)["settled"] == 1, READ_US, "have its throw read"
        )
        with found.ledger.read() as db:
            read = second_readings.of_round(db, row(found, number)["id"])
        assert read == Reading([*played.dice], "", second_reader.RELEASE)
        assert found.table.now_us - ended_us < 30_000_000


def test_a_picture_outlives_a_power_cut(tmp_path):
    """The table is off between result and picture: both are on its flash."""
    with playing(str(tmp_path / "ledger"), 1) as found:
        number = thrown(found).ended.round
        found.table.cut_power()
        found.table.wait(lambda: row(found, number)["settled"] == 1, READ_US, "be read")


def test_a_throw_that_the_host_reads_otherwise_is_held(tmp_path, monkeypatch):
    """And no other round opens its bets before two users have ruled."""
    read = second_reader.read

    def other(*given: Any) -> Reading:
        found = read(*given)
        return found._replace(dice=sorted(face % 6 + 1 for face in found.dice))

    monkeypatch.setattr(second_reader, "read", other)
    with playing(str(tmp_path / "ledger"), 1) as found:
        number = thrown(found).ended.round
        found.table.wait(lambda: row(found, number)["verdict"] == "unexpected", READ_US, "be held")
        assert row(found, number)["settled"] == 0
