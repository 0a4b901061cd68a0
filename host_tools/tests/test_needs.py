"""What needs a person is listed once, and not before it does."""

from types import SimpleNamespace

from host_tools.tests.pit import DEVICE, S
from host_tools.tests.throws import SIC_BO, Tray, faces, picture
from tabletools.api import needs
from tabletools.evidence import alarms
from tabletools.store.schema.evidence import devices
from tabletools.table import unsettled_stakes
from tablewire.messages import FAULT_RAISED


def test_a_throw_needs_a_person_after_a_minute(tmp_path):
    """Its picture is on the way: 59 s after the throw it waits, from 60 s on it needs one."""
    frame = picture(0)[1]
    tray = Tray(str(tmp_path / "ledger"), terms=SIC_BO._replace(dice_reading="host"))
    role = devices.update().where(devices.c.device == DEVICE).values(role="dice_tray")
    tray.ledger.run(lambda db: db.execute(role))
    tray.throw(1, faces(frame=frame), (tray.ada, "small", 500))
    assert waits(tray) == ("pending", True)
    tray.clock.pass_ms(59_000)
    assert waits(tray)[1]
    tray.clock.pass_ms(1_000)
    assert not waits(tray)[1]
    tray.ledger.close()


def waits(tray):
    """Why the only stake waits, and whether it is too early to be a need."""
    now_ns = tray.clock.wall_ns()
    with tray.ledger.read() as db:
        [stake] = [row for row in unsettled_stakes.stakes(db, now_ns) if row.why != "late"]
        return stake.because, unsettled_stakes.is_early(db, stake, now_ns)


def test_a_stake_that_waits_for_a_ruling_needs_one_at_once(pit):
    """A round that another began after is never settled by itself."""
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.open(2)
    now_ns = pit.clock.wall_ns() + S
    with pit.ledger.read() as db:
        [stake] = [row for row in unsettled_stakes.stakes(db, now_ns) if row.number == 1]
        assert stake.why == "waits"
        assert not unsettled_stakes.is_early(db, stake, now_ns)


def test_an_active_fault_is_one_need(pit):
    """As its alarm until a user has acknowledged it, then as a fault that is active.

    Another fault, of which there is no alarm, stays beside it.
    """
    pit.say(FAULT_RAISED, (401, 8, 1, 0))
    active = [{"code": 401, "cause": "no edge"}, {"code": 402, "cause": "noise"}]
    facts = {"stopped": None, "refused": None, "link": "online", "faults": active}
    live = SimpleNamespace(facts=facts | {"bets_open": False, "since_ns": 1}, is_silent=False)
    house = SimpleNamespace(seats={pit.table: SimpleNamespace(live=live)})
    app = SimpleNamespace(ledger=pit.ledger, pit=house)
    listed = needs.needs(app, "supervisor")
    assert sorted((need.kind, need.code) for need in listed) == [
        ("fault", None),
        ("fault_active", 402),
    ]
    [alarm] = [need.alarm for need in listed if need.kind == "fault"]
    alarms.acknowledge(pit.ledger, alarm, pit.both[0], "seen")
    assert [(need.kind, need.code) for need in needs.needs(app, "supervisor")] == [
        ("fault_active", 401),
        ("fault_active", 402),
    ]
