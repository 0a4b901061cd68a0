"""Voids after no more bets: held for two users, whatever caused them. Money by hand."""

import pytest
from sqlalchemy import select, text

from host_tools.tests import machines
from host_tools.tests.pit import BOOT, DEVICE, FRENCH, FULL, HOUSE, VOID, Pit
from tabletools.evidence import Terms
from tabletools.money.reports import undo_rates
from tabletools.shadow import ledger as shadows
from tabletools.store import Actor, LedgerRejection, audit
from tabletools.store.schema.play import results
from tabletools.table.terms import change_terms, verify_terms
from tabletools.table.verify import check
from tablewire import codes
from tablewire import messages as m
from tablewire.sender import Sender

# What one person can cause once the ball runs: order, button, switches, cover, plug, power cut.
BY_ONE = {
    "load_shoe": 950,
    "croupier's button": codes.CROUPIER_VOID,
    "maintenance switch": codes.MAINTENANCE_OPEN,
    "cover": codes.DOME_OPEN,
    "unplugged sensor": codes.SENSOR_STUCK,
    "power cut": codes.SYSTEM_INTERRUPTION,
    "tilt": codes.TILT,
    "short spin": 101,
}
AUTOMATIC = FRENCH._replace(options={"automatic_voids": [101, 404]})


def sound(pit):
    """Problems of `ledger verify`, and differences of the shadow."""
    with pit.ledger.read() as db:
        return check(db).problems, [str(each) for each in shadows.check(db).differences]


@pytest.fixture
def pit(ledger_place):
    new_pit = Pit(ledger_place)
    yield new_pit
    assert sound(new_pit) == ([], [])
    new_pit.ledger.close()


def void(pit, code, phase=3, number=1):
    """The table reports that a round is void."""
    pit.say(m.ROUND_VOID, (code, phase, *VOID[2:]), number)


def stake(pit, number=1):
    """EUR 10 of Ada and EUR 5 of Ben, then no more bets."""
    pit.open(number)
    pit.place(pit.ada, "red", 1000)
    pit.place(pit.ben, "black", 500)
    pit.close(number)


@pytest.mark.parametrize("code", BY_ONE.values(), ids=BY_ONE)
def test_a_void_after_no_more_bets_is_held(pit, code):
    """Its stakes stay in escrow; the alarm says why in words, and how much is held."""
    stake(pit)
    void(pit, code)
    assert pit.money() == (-1000, -500)
    [(kind, said)] = pit.alarms()
    assert kind == "void_held"
    assert f"({code}: " in said
    assert "1500 cents are held" in said
    with pit.ledger.read() as db:
        assert db.execute(select(results)).all() == []


def test_two_users_confirm_a_void(pit):
    """The stakes are returned, as the ruling of both."""
    stake(pit)
    void(pit, codes.SYSTEM_INTERRUPTION)
    with pytest.raises(LedgerRejection, match="two different users"):
        pit.rule(1, {"void": "power cut"}, users=[pit.both[0]] * 2)
    with pytest.raises(LedgerRejection, match="needs its evidence"):
        pit.rule(1, {"void": "power cut"}, evidence="")
    assert pit.rule(1, {"void": "power cut"}) == 1
    assert pit.money() == (0, 0)


def test_two_users_rule_the_result_of_a_void_round(pit):
    """The camera saw red 1: Ada wins EUR 10, Ben loses EUR 5."""
    stake(pit)
    void(pit, codes.CROUPIER_VOID)
    pit.rule(1, {"pocket": "1"})
    assert pit.money() == (1000, -500)


def test_bets_wait_until_two_users_ruled(pit):
    """The next round opens without bets, the one after the ruling with them."""
    stake(pit)
    void(pit, codes.TILT)
    pit.open(2)
    with pytest.raises(LedgerRejection):
        pit.place(pit.ada, "red", 500)
    pit.say(m.FAULT_CLEARED, (401, 8, 800))
    pit.close(2)
    pit.end(2, 1)
    pit.rule(1, {"void": "tilted"})
    pit.play(3, 1, (pit.ada, "red", 500))
    assert pit.money() == (500, 0)


def test_a_void_while_bets_are_open_gives_the_stakes_back(pit):
    """The void itself closes the bets: nothing was decided, and nobody saw a ball."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.say(m.BETS_CLOSED, (m.CLOSE_CAUSE_VOID, 8_000), 1)
    void(pit, codes.TILT, m.PHASE_BETS_OPEN)
    assert pit.money() == (0, 0)
    assert pit.alarms() == []


def test_a_void_of_an_unknown_phase_gives_the_stakes_back(pit):
    """Of the boot that opened the round: it would have known that bets were closed."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.end(1)
    assert pit.money() == (0, 0)


@pytest.mark.parametrize("phase", [m.PHASE_CLOSED, m.PHASE_BETS_OPEN])
def test_a_void_of_a_later_boot_is_held(pit, phase):
    """A laptop with the table's key took the record of no more bets, then the power was cut.

    The host heard neither: for it bets were open, and the void of the next boot has no phase.
    """
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.frame(m.BETS_CLOSED, (1, 8_000), 1)  # to the laptop, which acknowledges it
    pit.device = Sender(DEVICE, BOOT + 1)
    pit.beat(m.PHASE_CLOSED)
    void(pit, codes.SYSTEM_INTERRUPTION, phase)
    assert pit.money() == (-1000, 0)
    [said] = [text for kind, text in pit.alarms() if kind == "void_held"]
    assert "1000 cents are held" in said
    [rate] = [each for each in undo_rates_of(pit) if each.voids]
    assert (rate.rounds, rate.voids) == (1, 1)
    pit.rule(1, {"void": "power cut"})
    assert pit.money() == (0, 0)


def undo_rates_of(pit):
    with pit.ledger.read() as db:
        return undo_rates(db)


def test_the_phase_of_a_void_shows_that_bets_were_closed(pit):
    """No record of no more bets came: that the ball ran is enough."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    void(pit, codes.TILT)
    assert pit.money() == (-1000, 0)


def test_a_void_waits_for_the_record_of_no_more_bets(pit):
    """Which is held back on the line: the void alone returns nothing."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.clock.pass_ms(10)
    closed = pit.frame(m.BETS_CLOSED, (1, 8_000), 1)
    pit.end(1)
    assert pit.money() == (-1000, 0)
    pit.receive(closed)
    assert pit.money() == (-1000, 0)
    assert [kind for kind, _ in pit.alarms()] == ["void_held"]


def imprison(pit):
    """EUR 10 of Ada in prison after zero; a lost heartbeat keeps zero from counting yet."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000, choice="prison")
    pit.close(1)
    pit.frame(m.HEARTBEAT, (m.PHASE_CLOSED, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000), flags=0)
    pit.end(1, 0)


def test_a_void_before_the_result_counts_whose_stake_joins_its_round_is_held(pit):
    """hc2023 2:2(1): the stake in prison is in play in round 2, void after no more bets."""
    imprison(pit)
    pit.open(2)
    pit.close(2)
    void(pit, codes.CROUPIER_VOID, number=2)
    pit.beat(m.PHASE_CLOSED)
    assert pit.alarms()[-1].kind == "void_held"
    assert "1000 cents are held" in pit.alarms()[-1].text
    pit.rule(2, {"pocket": "2"})  # black
    assert pit.money() == (-1000, 0)
    pit.play(3, 1)
    assert pit.money() == (-1000, 0)


def test_such_a_void_waits_as_long_as_the_table_is_stopped(pit):
    imprison(pit)
    pit.open(2)
    pit.close(2)
    void(pit, codes.CROUPIER_VOID, number=2)
    pit.intake.tamper(DEVICE, "a forged frame", b"forged")
    pit.beat(m.PHASE_CLOSED)
    assert "void_held" not in [kind for kind, _ in pit.alarms()]
    pit.intake.release(DEVICE, Actor("Sue", pit.users[0]), "seen")
    assert pit.alarms()[-1].kind == "void_held"
    pit.rule(2, {"void": "seen"})
    pit.play(3, 1)
    assert pit.money() == (0, 0)


def test_a_void_is_held_where_no_other_record_of_its_round_is_here(pit):
    """Another host with the key may have them; the stake in prison joins by the void."""
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    void(pit, codes.CROUPIER_VOID, number=2)
    assert [kind for kind, _ in pit.alarms()] == ["void_held"]


def test_a_void_without_a_bet_in_play_is_not_held(pit):
    pit.open(1)
    pit.close(1)
    void(pit, codes.CROUPIER_VOID)
    assert pit.alarms() == []
    pit.play(2, 1, (pit.ada, "red", 500))
    assert pit.money() == (500, 0)


def test_the_terms_name_what_is_returned_at_once(ledger_place):
    """An edition that demands it for a system interruption: that code alone, and no other."""
    pit = Pit(ledger_place, terms=AUTOMATIC)
    stake(pit)
    void(pit, codes.SYSTEM_INTERRUPTION, 1)
    assert pit.money() == (0, 0)
    stake(pit, 2)
    void(pit, codes.CROUPIER_VOID, number=2)
    assert pit.money() == (-1000, -500)
    assert sound(pit) == ([], [])
    pit.ledger.close()


def test_terms_that_return_more_at_once_raise_an_alarm(pit):
    """From the next round on, not for the stakes in play; fewer codes raise none."""
    stake(pit)
    change_terms(pit.ledger, pit.lease, AUTOMATIC, HOUSE)
    text = "one person now undoes rounds of table R1 by these voids: automatic_voids 101, 404"
    assert pit.alarms() == [("rights", text)]
    change_terms(pit.ledger, pit.lease, AUTOMATIC, HOUSE)
    change_terms(pit.ledger, pit.lease, FRENCH, HOUSE)
    assert len(pit.alarms()) == 1
    void(pit, codes.SYSTEM_INTERRUPTION)
    assert pit.money() == (-1000, -500)


def test_a_live_edition_returns_nothing_unless_its_terms_say_so(ledger_place):
    """de-live Bac 2.1.8 returns all stakes at a system interruption: the option follows it."""
    terms = Terms("baccarat", "de-live", None, {"minimum": 500, "maximum": {"tie": 50_000}})
    pit = Pit(ledger_place, terms=terms)
    pit.open(1)
    pit.place(pit.ada, "player", 1000)
    pit.close(1)
    pit.say(*machines.void(codes.SYSTEM_INTERRUPTION), 1)
    assert pit.money() == (-1000, 0)
    pit.rule(1, {"void": "system interruption"})
    assert pit.money() == (0, 0)
    assert sound(pit) == ([], [])
    pit.ledger.close()


@pytest.mark.parametrize(
    ("listed", "code"), [(["tilt"], "wrong_type"), ([9999], "field_invalid"), (404, "wrong_type")]
)
def test_an_option_that_names_no_code_is_refused(listed, code):
    with pytest.raises(LedgerRejection) as caught:
        verify_terms(FRENCH._replace(options={"automatic_voids": listed}))
    assert (caught.value.code, caught.value.where) == (code, "options.automatic_voids")


def test_verify_and_the_shadow_find_stakes_that_one_table_returned(tmp_path):
    """As if the terms of a settled round had never let it: both say so, each by itself."""
    pit = Pit(tmp_path / "ledger", terms=AUTOMATIC)
    stake(pit)
    void(pit, codes.SYSTEM_INTERRUPTION, 1)

    triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'terms'"
    with pit.ledger.engine.begin() as db:
        for (name,) in db.execute(text(triggers)).all():
            db.execute(text(f"DROP TRIGGER {name}"))
        db.execute(text("UPDATE terms SET options = '{\"automatic_voids\": []}'"))
    problems, differences = sound(pit)
    said = "void after no more bets: 1500 cents were returned, and no two users ruled"
    assert any(said in problem for problem in problems)
    assert any("returned 1500 cents by code 404" in each for each in differences)
    pit.ledger.close()


def test_what_a_player_has_is_what_was_brought(pit):
    """A held void is money in escrow: nobody's until two users rule."""
    stake(pit)
    void(pit, codes.MAINTENANCE_OPEN)
    assert pit.balance(pit.ada) + pit.balance(pit.ben) == 2 * FULL - 1500


def test_voids_are_counted_by_table_and_dealer(pit):
    """Dan's order came last in round 1, nobody's in round 2; round 3 has a result, 4 no bets."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.clock.pass_ms(10)
    dan, now_ns = Actor("Dan", pit.users[1]), pit.clock.wall_ns()
    pit.ledger.run(lambda db: audit.note(db, dan, "ordered", "table 1", now_ns, order="load_shoe"))
    pit.close(1)
    void(pit, 950)
    pit.rule(1, {"void": "seen"})
    stake(pit, 2)
    void(pit, codes.SYSTEM_INTERRUPTION, 1, number=2)
    pit.rule(2, {"pocket": "1"})
    pit.play(3, 1, (pit.ada, "red", 500))
    pit.open(4)
    pit.close(4)
    void(pit, codes.TILT, number=4)
    with pit.ledger.read() as db:
        assert undo_rates(db) == [("R1", 3, 2, {"Dan": 1, "": 1})]
