"""A throw of the shipped tray on the shipped host: paid once the host has read its picture.

Where table and host both read, each with a camera of its own, and where the host alone does, in
the picture of the trace that it fetches beside the rounds. In virtual time, over the serial line
at its speed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import select

from hil_tests.host_view import cameras
from hil_tests.thinned import soaked, thinned
from tableemulator import fault_catalogue, play_session
from tableemulator.chips import device_of
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.dice_tray.tray_faults import FAULTS
from tableemulator.virtual_pit import Line, Never, VirtualClock, hosted
from tabletools.decode import Record
from tabletools.evidence import listing, second_readings
from tabletools.evidence.second_readings import Reading
from tabletools.money import cash
from tabletools.pit import second_reader, throw_camera
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit
from tabletools.pit.settings import Settings, TableSettings
from tabletools.store import Actor, Store, books
from tabletools.store.schema.play import rounds
from tabletools.table import betting
from tabletools.table.verify import check

KEY = 1, bytes(range(32))
READY_US, READ_US = 30_000_000, 70_000_000
CHIPS_CENTS, STAKE_CENTS = 100_000, 1_000
# Three dice on three plates are often heard as two hits.
CHANGED = {"wall_hits": 2, "result_hold_ms": 20_000}


@contextmanager
def playing(place: str, seed: int, policy: str) -> Iterator[Any]:
    """A table and its host, ready to open bets; the ledger is sound at the end.

    policy: who reads the dice. bets: slips of the player of `account`, placed in the next round.
    """
    tray = TraySetup(3, host=policy == "host")
    clock, line, chip = VirtualClock(), Line(), 1
    ledger = Store.open(place, clock=clock)
    context = HostContext(
        ledger, lambda _device: dict([KEY]), "host", opener=lambda _url: line,
        readers=second_reader.Inline(), on_record=lambda _table, record: bet(record),
    )  # fmt: skip
    bets: list[dict[str, Any]] = []
    account = cash.open_account(ledger, "1", "Ada")
    cash.deposit(ledger, account, CHIPS_CENTS, "chips", Actor("house"))

    def bet(record: Record) -> None:
        """Place what is to be bet once bets are open."""
        while bets and record["type"] == "round_opened":
            request = betting.BetRequest(account, slip := bets.pop(), STAKE_CENTS, slip["bet"])
            betting.place(ledger, seat.host.attended(), request, reading=seat.host.reading)

    limits, device = {"minimum": 500}, device_of(chip)
    own = {"dice_camera": "D1", "dice_reference": "D1"} if policy == "both" else {}
    table = TableSettings(
        "D1", "its line", device, "sic_bo", "hc2023", dice_reading=policy, limits=limits, **own
    )
    with cameras(lambda _name: hosted_tray.table.tray.lying):
        pit = Pit(context, Settings(tables=(table,)), over=Never())
    [seat] = pit.seats.values()
    with hosted(
        tray, seed, seat.host, line, clock, chip=chip, key=KEY, changed=CHANGED
    ) as hosted_tray:
        hosted_tray.table.wait(
            lambda: seat.host.attendance is not None and seat.host.attendance.is_ready,
            READY_US, "report its configuration",
        )  # fmt: skip
        hosted_tray.ledger, hosted_tray.clock = ledger, clock
        hosted_tray.bets, hosted_tray.account = bets, account
        yield hosted_tray
        seat.host.leave()
    with ledger.read() as db:
        assert check(db).problems == []
    ledger.close()


def row(hosted_tray: Any, number: int) -> Any:
    """The row of a round by the number that the table gave it."""
    with hosted_tray.ledger.read() as db:
        return db.execute(select(rounds).where(rounds.c.number == number)).mappings().one()


def thrown(hosted_tray: Any) -> Any:
    """A round that ended with faces."""
    for _ in range(6):
        played = hosted_tray.table.spin()
        if played.reason is None:
            return played
    raise AssertionError("every throw was void")


def balance(hosted_tray: Any) -> int:
    """Cents of the player."""
    with hosted_tray.ledger.read() as db:
        return int(books.balance(db, hosted_tray.account))


@pytest.mark.parametrize("policy", ["both", *soaked(["host"])])
def test_a_throw_is_paid_when_its_picture_was_read(tmp_path, policy):
    """Pending at its end, believed within a minute; what the host read is in the record."""
    with playing(str(tmp_path / "ledger"), 2, policy) as hosted_tray:
        played, ended_us = thrown(hosted_tray), hosted_tray.table.now_us
        number = played.ended.round
        hosted_tray.table.wait(
            lambda: row(hosted_tray, number)["settled"] == 1, READ_US, "have its throw read"
        )
        with hosted_tray.ledger.read() as db:
            read = second_readings.of_round(db, row(hosted_tray, number)["id"])
        assert read is not None
        assert (read.dice, read.reason) == ([*played.dice], "")
        assert bool(read.second_picture) == (policy == "both")
        waited_us = hosted_tray.table.now_us - ended_us
        assert waited_us < (5_000_000 if policy == "both" else 30_000_000)


def test_a_picture_outlives_a_power_cut(tmp_path):
    """The table is off between result and picture: both are on its flash."""
    with playing(str(tmp_path / "ledger"), 1, "host") as hosted_tray:
        number = thrown(hosted_tray).ended.round
        hosted_tray.table.cut_power()
        hosted_tray.table.wait(
            lambda: row(hosted_tray, number)["settled"] == 1, READ_US, "be read"
        )


def test_a_throw_that_the_host_reads_otherwise_is_held(tmp_path, monkeypatch):
    """And no other round opens its bets before two users have ruled."""
    read = throw_camera.photographed

    def other(*arguments: Any) -> Reading:
        reading = read(*arguments)
        return reading._replace(dice=sorted(face % 6 + 1 for face in reading.dice))

    monkeypatch.setattr(throw_camera, "photographed", other)
    with playing(str(tmp_path / "ledger"), 1, "both") as hosted_tray:
        number = thrown(hosted_tray).ended.round
        hosted_tray.table.wait(
            lambda: row(hosted_tray, number)["verdict"] == "unexpected", READ_US, "be held"
        )
        assert row(hosted_tray, number)["settled"] == 0


def test_bets_are_settled_by_what_the_host_alone_read(tmp_path):
    """The table tells no face, and has no reader in its memory; dice and money are the truth's."""
    with playing(str(tmp_path / "ledger"), 1, "host") as hosted_tray:
        for _ in range(6):
            hosted_tray.bets[:] = [{"bet": "small"}, {"bet": "big"}, {"bet": "single", "on": [3]}]
            played = hosted_tray.table.spin()
            assert not hosted_tray.bets
            if played.reason is None:
                break
        assert played.reported == ""
        assert balance(hosted_tray) == CHIPS_CENTS - 3 * STAKE_CENTS
        number = played.ended.round
        hosted_tray.table.wait(
            lambda: row(hosted_tray, number)["settled"] == 1, READ_US, "be settled"
        )
        low, high, threes = won(played.dice)
        back = 2 * (low + high) + (threes and 1 + threes)
        assert balance(hosted_tray) == CHIPS_CENTS + (back - 3) * STAKE_CENTS
        with hosted_tray.ledger.read() as db:
            [listed] = [one for one in listing.round_rows(db) if one["round"] == number]
        assert (listed["dice"], listed["read_by"]) == ([*played.dice], "host")
        loaded = hosted_tray.table.controller.board.exec("import sys; print(*sorted(sys.modules))")
        assert "tablelogic.dice_tray.eye" in loaded
        assert "tray_reader" not in loaded
        assert "face_reader" not in loaded


def won(dice: tuple[int, ...]) -> tuple[bool, bool, int]:
    """Whether small and big win by hc2023 4:2, and how many threes there are."""
    is_triple = len(set(dice)) == 1
    return not is_triple and sum(dice) <= 10, not is_triple and sum(dice) >= 11, dice.count(3)


@pytest.mark.parametrize("name", thinned(["die_cocked", "face_unsure", "dice_not_apart"], 3))
def test_dice_that_the_host_alone_has_to_refuse_are_held(tmp_path, name):
    """The table sees that they lie still, no more."""
    with playing(str(tmp_path / "ledger"), 1, "host") as hosted_tray:
        for _ in range(6):
            played = play_session.play(hosted_tray.table, fault_catalogue.find(name, FAULTS))
            if played.reason is None:
                break
        number = played.ended.round
        hosted_tray.table.wait(
            lambda: row(hosted_tray, number)["verdict"] != "pending", READ_US, "be judged"
        )
        assert (row(hosted_tray, number)["verdict"], row(hosted_tray, number)["settled"]) == (
            "unexpected",
            0,
        )
