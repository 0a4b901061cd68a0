"""The centre of an estate, against real servers: two sites, each event once, by hand."""

import pytest

from host_tools.tests import nats_server
from host_tools.tests.left_out import leave_out
from host_tools.tests.nats_server import NatsServer
from host_tools.tests.pit import Pit
from host_tools.tests.served import until
from host_tools.tests.test_cms_documents import described, events_of_a_host
from tabletools.cms import SinkWorker
from tabletools.cms.broker import BrokerError
from tabletools.cms.nats_sink import NatsSink
from tabletools.cms.origin import Origin
from tabletools.estate import figures, model
from tabletools.estate.figures import Wanted
from tabletools.estate.reader import Folding, Reader

if nats_server.binary() is None:
    leave_out("nats-server", "the estate", nats_server.HOW)
    pytest.skip("no nats-server here", allow_module_level=True)

SITES = ("athens", "berlin")


class Site:
    """One pit of a site, its nats-server, and what feeds the one from the other."""

    def __init__(self, folder, name, centre):
        self.server = NatsServer(folder / name, name, centre).start()
        self.pit = Pit(str(folder / f"{name}.ledger"))
        self.number = 0
        origin = Origin(site=name, pit="main")
        sink = NatsSink(self.server.broker, origin)
        self.feed = SinkWorker(self.pit.ledger, sink, origin=origin, jitter=lambda: 0.0)

    def send(self):
        """Send all; returns how many events."""
        return sum(iter(lambda: self.feed.run_once(float("inf")), 0))

    def close(self):
        self.feed.close()
        self.pit.ledger.close()
        self.server.stop()


class Estate:
    """Two sites and a centre."""

    def __init__(self, folder, place):
        self.hub = NatsServer(folder / "centre").start()
        self.sites = {name: Site(folder, name, self.hub) for name in SITES}
        self.centre = model.Centre.open(place)
        self.reader = Reader(self.centre, self.hub.broker, SITES, Folding())

    def step(self):
        try:
            return self.reader.step()
        except BrokerError:
            self.reader.close()
            return 0

    def until(self, events):
        """Read until each pit's events have come; returns the rows of the pits."""

        def come():
            self.step()
            with self.centre.read() as db:
                rows = db.execute(model.pits.select().order_by(model.pits.c.site)).all()
            return rows if [row.events for row in rows] == events else None

        return until(come, detail=lambda: str(self.rows("floor")))

    def rows(self, name, **wanted):
        with self.centre.read() as db:
            now_ns = self.sites["athens"].pit.clock.wall_ns()
            return figures.FIGURES[name](db, Wanted(now_ns, **wanted))

    def close(self):
        self.reader.close()
        self.centre.close()
        for site in self.sites.values():
            site.close()
        self.hub.stop()


@pytest.fixture
def estate(tmp_path, ledger_place):
    place = ledger_place if "://" in ledger_place else str(tmp_path / "estate.db")
    new_estate = Estate(tmp_path, place)
    yield new_estate
    new_estate.close()


def test_the_figures_of_two_sites_by_hand(estate):
    """Athens: 10.00 on 17 loses, then wins 350.00. Berlin: 20.00 on red loses, then it won.

    Drop 20.00 and 20.00; win of the bank 10 - 350 = -340.00 and 20 - 40 = -20.00.
    """
    athens, berlin = (estate.sites[name].pit for name in SITES)
    straight = {"numbers": ["17"]}
    described(athens)
    described(berlin)
    athens.play(1, 4, (athens.ada, "straight", 1000, straight))
    athens.play(2, 17, (athens.ada, "straight", 1000, straight))
    events_of_a_host(athens)
    berlin.play(1, 17, (berlin.ada, "red", 2000))
    berlin.rule(1, {"pocket": "18"})
    sent = [estate.sites[name].send() for name in SITES]
    estate.until(sent)
    hold = {row["site"]: row for row in estate.rows("hold")}
    assert (hold["athens"]["drop_cents"], hold["athens"]["win_cents"]) == (2000, -34000)
    assert hold["athens"]["hold_percent"] == "-1700.00"
    # A straight number pays 35 to one, red one to one.
    assert (hold["berlin"]["drop_cents"], hold["berlin"]["win_cents"]) == (2000, -2000)
    assert (hold["berlin"]["games"], hold["berlin"]["undone"]) == (1, 1)
    [model_row] = estate.rows("hold", by="wheel_model")
    assert model_row == {
        "wheel_model": "Cammegh Mercury 360",
        "currency": "EUR",
        "games": 4,
        "undone": 1,
        "drop_cents": 4000,
        "win_cents": -36000,
        "hold_percent": "-900.00",
    }
    assert [row["dealer"] for row in estate.rows("hold", by="dealer")] == [""]
    [late] = estate.rows("late")
    assert (late["site"], late["table"], late["bets"], late["stake_cents"]) == (
        "athens",
        1,
        1,
        500,
    )
    [device] = estate.rows("firmware")
    assert (device["firmware"], device["attested"], device["release"]) == (
        "1.1.0",
        "no_answer",
        "0.3.0",
    )
    kinds = [row["kind"] for row in estate.rows("alarms", open_s=0)]
    assert "program" in kinds
    assert estate.rows("alarms", open_s=86_400) == []
    assert [(row["place"], row["counted_cents"]) for row in estate.rows("days")] == [
        ("desk", 0),
        ("table 1", 0),
    ]
    floor = estate.rows("floor")
    assert [(row["site"], row["tables"]) for row in floor] == [("athens", 1), ("berlin", 1)]
