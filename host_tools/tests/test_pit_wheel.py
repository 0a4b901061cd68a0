"""A host whose table is a wheel with a status line: leases, bets, silence, a lost line."""

import threading

import pytest

from host_tools.tests.pit import DEVICE, FRENCH, Pit
from tabletools.errors import ToolError
from tabletools.pit.assignments import TableAssignment, place_of
from tabletools.pit.host_context import HostContext
from tabletools.pit.live import LiveTable
from tabletools.pit.settings import TableSettings
from tabletools.pit.wheel_host import WheelHost
from tabletools.store import LedgerRejection
from tabletools.table import betting

TRUSTED = FRENCH._replace(options={"trust_status_line": True})


class Line:
    """A port: what was put in comes out, then nothing; or it is lost."""

    def __init__(self):
        self.data, self.is_lost = b"", False

    def read(self, size):
        if self.is_lost:
            raise OSError("the cable came off")
        data, self.data = self.data, b""
        return data

    def close(self):
        pass


class Hosted(Pit):
    """The pit with a host that holds its table by a status line."""

    def __init__(self, place):
        super().__init__(place, terms=TRUSTED)
        self.line, self.said = Line(), []
        duty = HostContext(
            self.ledger,
            lambda device: {},
            "host a",
            opener=lambda url: self.line,
            say=lambda event, facts: self.said.append(event),
        )
        self.live = LiveTable({}, "run", self.clock)
        where = TableAssignment(self.table, "R1", DEVICE, "line", TRUSTED, "ss2")
        self.host = WheelHost(duty, where, self.live, threading.Event())
        for _ in range(2):  # claims, then opens the port
            self.host.step()
        self.send("6", "1")

    def send(self, *states, number=" 4"):
        for state in states:
            self.clock.pass_ms(500)
            text = f"*X;{state};007;{number};0;142;0" if len(state) == 1 else state
            self.line.data = f"{text}\r\n".encode()
            self.host.step()

    def bet(self, account, bet, cents, **more):
        request = self.request(account, bet, cents, **more)
        return betting.place(self.ledger, self.host.attended(), request)


@pytest.fixture
def pit(tmp_path):
    new_pit = Hosted(str(tmp_path / "ledger"))
    yield new_pit
    new_pit.host.leave()
    new_pit.ledger.close()


def test_a_spin_is_played_and_settled(pit):
    """EUR 10 on 17 at 35:1; those who watch see bets open, then the line that speaks."""
    pit.send("2")
    assert (pit.live.facts["bets_open"], pit.live.facts["link"]) == (True, "online")
    pit.bet(pit.ada, "straight", 1000, numbers=["17"])
    pit.send("3", "4", "17", "5", number="17")
    assert pit.balance(pit.ada) == 100_000 + 35_000
    assert pit.live.facts["bets_open"] is False
    assert pit.said[-3:] == ["wheel_opened", "wheel_closed", "wheel_result"]
    for _ in range(4):  # 24 s: the lease is renewed on the way
        pit.send(*"222333444566", number="17")
    assert pit.host.tally.leases_lost == 0


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_line_that_falls_silent_or_is_lost_closes_the_bets(pit, is_lost):
    """No bet after it; the round waits for two users."""
    pit.send("2")
    pit.bet(pit.ada, "red", 1000)
    pit.line.is_lost = is_lost
    for _ in range(3):
        pit.clock.pass_ms(800)
        pit.host.step()
    with pytest.raises(LedgerRejection, match="closed"):
        pit.bet(pit.ben, "red", 500)
    assert "wheel_doubt" in pit.said
    assert pit.live.facts["link"] == "offline"
    assert pit.balance(pit.ada) == 99_000


def test_a_dialect_nobody_knows_is_refused(pit):
    """Said when the host begins, with those that are known."""
    settings = TableSettings("R9", "line", 9, "roulette", "hc2023", "french", status_line="other")
    with pytest.raises(ToolError, match="is not a dialect"):
        place_of(pit.ledger, settings)
