"""What a technician can do to a round after no more bets: the shipped wheel on the shipped host.

A new configuration or program decides how later rounds are judged; neither may undo this one.
"""

from typing import Any

import pytest

from tableemulator import play_session
from tableemulator.chips import device_of
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.virtual_pit import Line, Never, VirtualClock, hosted
from tabletools.decode import Record
from tabletools.evidence import listing
from tabletools.money import cash
from tabletools.pit import second_reader
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit
from tabletools.pit.settings import Settings, TableSettings
from tabletools.store import Actor, Store, books
from tabletools.table import betting
from tabletools.table.verify import check
from tablewire import codes, roulette
from tablewire import messages as m

KEY = 1, bytes(range(32))
READY_US, AFTER_US = 30_000_000, 300_000
CHIPS_CENTS, STAKE_CENTS = 100_000, 1_000
NOT_FACTORY = {"max_bet_ms": 61_000}


class Wheel:
    """A wheel and its host; a bet on red in its next round, and an act after no more bets."""

    def __init__(self, place: str, act: Any) -> None:
        self.records: list[str] = []
        self._clock, self._line = VirtualClock(), Line()
        self.ledger = Store.open(place, clock=self._clock)
        self._context = HostContext(
            self.ledger, lambda _device: dict([KEY]), "host", opener=lambda _url: self._line,
            readers=second_reader.Inline(), on_record=lambda _table, record: self._hear(record),
        )  # fmt: skip
        self.account = cash.open_account(self.ledger, "1", "Ada")
        cash.deposit(self.ledger, self.account, CHIPS_CENTS, "chips", Actor("house"))
        self._act = act
        self._table: Any = None

    def play(self) -> Any:
        """One round to its end; returns what became of it."""
        limits = {"minimum": 500}
        terms = TableSettings(
            "R1", "its line", device_of(1), "roulette", "hc2023", "french", limits=limits
        )
        pit = Pit(self._context, Settings(tables=(terms,)), over=Never())
        [self._seat] = pit.seats.values()
        setup = Geometry("single")
        with hosted(
            setup, 4, self._seat.host, self._line, self._clock, chip=1, key=KEY,
            changed=NOT_FACTORY,
        ) as hosted_wheel:  # fmt: skip
            self._table = hosted_wheel.table
            attends = self._seat.host
            self._table.wait(
                lambda: attends.attendance is not None and attends.attendance.is_ready,
                READY_US, "report its configuration",
            )  # fmt: skip
            played = play_session.play(self._table, None)
            self._table.wait(lambda: "round_ended" in self.records, READY_US, "end its round")
            self._seat.host.leave()
        return played

    def _hear(self, record: Record) -> None:
        kind = record["type"]
        ends = kind in ("wheel_result", "round_void")
        self.records.append("round_ended" if ends else str(kind))
        if kind == "round_opened":
            request = betting.BetRequest(self.account, {"bet": "red"}, STAKE_CENTS, "red")
            host = self._seat.host
            betting.place(self.ledger, host.attended(), request, reading=host.reading)
        if kind == "bets_closed":
            self._table.schedule(self._table.now_us + AFTER_US, self._act)

    def money(self) -> int:
        """Cents of the player; the ledger is sound."""
        with self.ledger.read() as db:
            assert check(db).problems == []
            return int(books.balance(db, self.account))

    def alarms(self) -> list[str]:
        """The text of each alarm, with its kind."""
        with self.ledger.read() as db:
            return [f"{row['kind']}: {row['text']}" for row in listing.alarm_rows(db)]


@pytest.mark.parametrize(
    "order",
    [(m.SET_CONFIGURATION, roulette.MIN_CIRCUITS, 20), (m.FACTORY_CONFIGURATION,)],
    ids=["set", "factory"],
)
def test_a_configuration_ordered_after_no_more_bets_changes_nothing(tmp_path, order):
    """The table refuses it, also under its key: the round is paid by where the ball fell."""
    wheel = Wheel(str(tmp_path / "ledger"), lambda table: table.order(*order))
    played = wheel.play()
    assert played.reason is None
    assert "refusal" in wheel.records
    assert "configuration_changed" not in wheel.records
    assert wheel.money() in (CHIPS_CENTS - STAKE_CENTS, CHIPS_CENTS + STAKE_CENTS)
    assert not any(text.startswith("void_held") for text in wheel.alarms())


def test_an_update_after_no_more_bets_gives_no_stake_back(tmp_path):
    """It ends with a restart, which voids the round: held for two users, with an alarm."""
    wheel = Wheel(str(tmp_path / "ledger"), lambda table: table.boot_release(behind=0))
    assert wheel.play().reason == codes.SYSTEM_INTERRUPTION
    assert wheel.money() == CHIPS_CENTS - STAKE_CENTS
    [held] = [text for text in wheel.alarms() if text.startswith("void_held")]
    assert f"({codes.SYSTEM_INTERRUPTION}: " in held
    assert f"{STAKE_CENTS} cents are held" in held
