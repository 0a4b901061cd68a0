"""Orders from the floor to a table: sent once, answered, refused or lost; each in the log."""

import pytest

from host_tools.tests.emulated import DEVICE, SECRET, VOID, Played
from host_tools.tests.served import PASSWORD, Floor, until
from tabletools.link import Session
from tabletools.money.reports import undo_rates
from tabletools.pit.host_context import TableUnavailable
from tabletools.pit.orders import ANSWER_S, COMMANDS, Orders, values_of
from tabletools.store import LedgerRejection
from tablewire import card_shoe, roulette
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender

# open_bets, close_bets, void_round ... as PROTOCOL.md numbers them.
NUMBERS = {
    "open_bets": 0x42,
    "close_bets": 0x43,
    "void_round": 0x44,
    "clear_fault": 0x47,
    "declare_replacement": 0x50,
    "end_round": 0x51,
    "load_shoe": 0x56,
    "end_cards": 0x57,
    "end_draw": 0x58,
    "declare_balls": 0x59,
}


class Obedient(Played):
    """A table whose rounds its host opens. is_deaf: it ignores orders; is_gone: it is offline.

    instead: a record that it sends in answer to any order, None for its own answers. has_closed:
    no more bets, which the host has not received yet. is_lost: no bets_closed gets through.
    """

    is_deaf = is_gone = has_closed = is_lost = False
    instead = None

    def say(self, ident, values=(), number=0):
        wire = super().say(ident, values, number)
        return b"" if self.is_lost and ident == m.BETS_CLOSED else wire

    def repeat(self):
        return b"" if self.is_lost else super().repeat()

    def receive(self, data):
        return b"" if self.is_gone else super().receive(data)

    def beat(self):
        return b"" if self.is_gone else super().beat()

    def _obey(self, frame):
        if self.is_deaf or frame.type not in NUMBERS.values():
            return super()._obey(frame)
        if self.instead is not None:
            return self.say(*self.instead)
        if frame.type == m.OPEN_BETS:
            self.phase = m.PHASE_BETS_OPEN
            return self.say(m.ROUND_OPENED, (roulette.WHEEL_SINGLE, 7, 60_000), 1)
        if frame.type == m.CLOSE_BETS and self.phase == m.PHASE_BETS_OPEN and not self.has_closed:
            self.phase = m.PHASE_NO_MORE_BETS
            return self.say(m.BETS_CLOSED, (m.CLOSE_CAUSE_COMMAND, 8_000), 1)
        if frame.type == m.VOID_ROUND and self.phase != m.PHASE_CLOSED:
            self.phase = m.PHASE_CLOSED
            return self.say(m.ROUND_VOID, (frame.values[0], *VOID[1:]), 1)
        if frame.type == card_shoe.LOAD_SHOE and self.phase != m.PHASE_CLOSED:
            closed, self.phase = self.phase, m.PHASE_CLOSED
            return self.say(m.ROUND_VOID, (card_shoe.SHOE_EXCHANGED, closed, *VOID[2:]), 1)
        values = (frame.type, frame.counter, m.REFUSAL_WRONG_PHASE, 0, 0, 0, 0)
        return self.say(m.REFUSAL, values)


@pytest.fixture
def floor(tmp_path):
    new_floor = Floor(str(tmp_path / "ledger"), played=Obedient(DEVICE, SECRET))
    new_floor.host.ready(new_floor.table)
    yield new_floor
    new_floor.close()


def give(floor, name, order, **more):
    return floor.host.login(name).post(
        f"/v1/tables/{floor.table}/orders", json={"order": order, **more}
    )


def notes_of(floor):
    rows = floor.host.login("Amy").get("/v1/audit", params={"action": "ordered"}).json()["rows"]
    return [(row["who"], row["subject"], row["detail"]) for row in reversed(rows)]


def test_orders_are_commands_of_the_protocol():
    assert COMMANDS == NUMBERS


@pytest.mark.parametrize(
    ("order", "said", "values"),
    [
        ("open_bets", {}, ()),
        ("load_shoe", {"load": "new", "cards": 416, "burns": 0}, (1, 416, 0)),
        ("load_shoe", {"load": 2, "cards": 57, "burns": 3}, (2, 57, 3)),
        ("declare_replacement", {"replacement": "manual_shoe"}, (2,)),
        ("end_draw", {}, (0,)),
        ("declare_balls", {"inside": 80}, (80,)),
        ("clear_fault", {"fault": 506}, (506,)),
        ("clear_fault", {"fault": "link_tampered"}, (506,)),
    ],
)
def test_values_as_they_go_out(order, said, values):
    """Words or numbers; what may be unknown may be left out."""
    assert values_of(order, said) == values


@pytest.mark.parametrize(
    ("order", "said", "where", "what"),
    [
        ("dance", {}, "order", "no order 'dance'"),
        ("open_bets", {"pocket": 7}, "pocket", "has no field pocket"),
        ("declare_balls", {}, "inside", "is missing"),
        ("declare_balls", {"inside": 91}, "inside", "cannot be 91"),
        ("declare_balls", {"inside": "80"}, "inside", "cannot be '80'"),
        ("load_shoe", {"load": "old", "cards": 1, "burns": 0}, "load", "cannot be 'old'"),
        ("declare_replacement", {"replacement": 0}, "replacement", "cannot be 0"),
    ],
)
def test_what_cannot_be_said(order, said, where, what):
    with pytest.raises(LedgerRejection, match=what) as caught:
        values_of(order, said)
    assert caught.value.where == where
    assert caught.value.step


def test_a_dealer_opens_a_round(floor):
    """The table confirms, bets open in the ledger, and the log names the user."""
    answer = give(floor, "Dan", "open_bets")
    assert (answer.status_code, answer.json()["answer"]) == (200, "round_opened")
    floor.wait(lambda facts: facts["bets_open"])
    detail = {"order": "open_bets", "round": 0, "values": {}}
    assert notes_of(floor) == [("Dan", f"table {floor.table}", detail)]


def test_what_the_table_refuses_is_reported(floor):
    answer = give(floor, "Sue", "declare_balls", values={"inside": 80})
    assert (answer.status_code, answer.json()["code"]) == (409, "table_refused")
    assert "declare_balls" in answer.json()["detail"]


def test_who_may_say_what(floor):
    """Voids are the supervisor's, faults the technician's too; an auditor may order nothing."""
    reason = {"reason": "croupier_void"}
    assert give(floor, "Dan", "void_round", values=reason).json()["code"] == "not_allowed"
    assert give(floor, "Amy", "open_bets").json()["code"] == "not_allowed"
    assert give(floor, "Dan", "clear_fault", values={"fault": 506}).status_code == 403
    assert give(floor, "Tim", "clear_fault", values={"fault": 506}).status_code == 409
    assert [user for user, *_ in notes_of(floor)] == ["Tim"]


def test_a_void_after_no_more_bets_is_a_correction(floor):
    """Two users, a reason and evidence; while bets are open a supervisor voids alone."""
    asked = {"values": {"reason": "croupier_void"}}
    alone = give(floor, "Sue", "void_round", **asked)
    assert (alone.status_code, alone.json()["code"]) == (403, "two_users_needed")
    asked |= {"second": {"name": "Sue", "password": PASSWORD}, "reason": "ball on the rim"}
    for more, code in (
        ({"evidence": "camera 4"}, "two_users_needed"),
        ({"second": {"name": "Dan", "password": PASSWORD}}, "evidence_needed"),
        ({"second": {"name": "Dan", "password": PASSWORD}, "reason": " "}, "reason_needed"),
        ({"second": {"name": "Amy", "password": PASSWORD}, "evidence": "x"}, "user_not_allowed"),
    ):
        assert give(floor, "Sue", "void_round", **asked | more).json()["code"] == code
    assert notes_of(floor) == []
    asked |= {"second": {"name": "Dan", "password": PASSWORD}, "evidence": "camera 4, 21:07"}
    assert give(floor, "Sue", "void_round", **asked).json()["code"] == "table_refused"
    detail = {
        "order": "void_round",
        "round": 0,
        "values": asked["values"],
        "reason": "ball on the rim",
        "evidence": "camera 4, 21:07",
    }
    where = f"table {floor.table}"
    assert notes_of(floor) == [
        ("Sue", where, detail | {"together_with": "Dan"}),
        ("Dan", where, detail | {"together_with": "Sue"}),
    ]


def test_a_supervisor_voids_alone_while_bets_are_open(floor):
    """The table closes its bets for it first: the stakes wait for two users, as in any void."""
    give(floor, "Dan", "open_bets")
    floor.wait(lambda facts: facts["bets_open"])
    ada = floor.host.terminal(floor.host.login("Sue"), floor.table, "ada")
    key = {"Idempotency-Key": "a"}
    assert ada.post("/v1/bets", json={"bet": "red", "stake_cents": 500}, headers=key).is_success
    voided = give(floor, "Sue", "void_round", values={"reason": "croupier_void"})
    assert (voided.status_code, voided.json()["answer"]) == (200, "round_void")
    sue = floor.host.login("Sue")
    until(lambda: sue.get("/v1/rounds").json()["rounds"][0]["verdict"] == "believed")
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    [held] = [row for row in sue.get("/v1/alarms").json()["alarms"] if row["kind"] == "void_held"]
    assert "croupier void (403: " in held["text"]
    number = sue.get("/v1/rounds").json()["rounds"][0]["id"]
    assert rule(floor, number, {"void": "stopped"}, evidence="camera 4").status_code == 200
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000
    assert [detail["order"] for *_, detail in notes_of(floor)] == ["open_bets", "void_round"]


def test_a_dealer_undoes_no_round_by_another_order(floor):
    """After no more bets load_shoe voids the round at the table: 5.00 waits for two users."""
    give(floor, "Dan", "open_bets")
    floor.wait(lambda facts: facts["bets_open"])
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    key = {"Idempotency-Key": "a"}
    assert ada.post("/v1/bets", json={"bet": "red", "stake_cents": 500}, headers=key).is_success
    assert give(floor, "Dan", "close_bets").json()["answer"] == "bets_closed"
    load = {"load": "new", "cards": 416, "burns": 0}
    give(floor, "Dan", "load_shoe", values=load)  # whatever it answers, its round is void
    until(lambda: sue.get("/v1/rounds").json()["rounds"][0]["verdict"] == "believed")
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    [held] = [row for row in sue.get("/v1/alarms").json()["alarms"] if row["kind"] == "void_held"]
    assert "shoe exchanged (950: " in held["text"]
    assert "500 cents are held" in held["text"]
    with floor.host.ledger.read() as db:
        assert [rate.by for rate in undo_rates(db)] == [{"Dan": 1}]


@pytest.mark.parametrize(
    "heard",
    [None, (m.BETS_CLOSED, (roulette.CLOSE_CAUSE_BALL_DETECTED, 8_000), 1)],
    ids=["refused", "crossed"],
)
def test_nobody_voids_alone_a_round_whose_bets_the_table_has_closed(floor, heard):
    """The ball runs, its bets_closed is on its way: bets close here, and the round is not void."""
    give(floor, "Dan", "open_bets")
    floor.wait(lambda facts: facts["bets_open"])
    floor.played.has_closed, floor.played.instead = True, heard
    alone = give(floor, "Sue", "void_round", values={"reason": "croupier_void"})
    assert (alone.status_code, alone.json()["code"]) == (403, "two_users_needed")
    assert "closed its bets before" in alone.json()["detail"]
    floor.wait(lambda facts: not facts["bets_open"])
    [lies] = floor.host.login("Sue").get("/v1/rounds").json()["rounds"]
    assert (lies["verdict"], lies["ended_at"]) == ("running", None)


def rule(floor, number, outcome, **more):
    """A ruling of Sue together with Dan."""
    said = {
        "outcome": outcome,
        "settled": 0,
        "reason": "ball on the rim",
        "second": {"name": "Dan", "password": PASSWORD},
    } | more
    key = {"Idempotency-Key": f"ruling {len(more)} {outcome}"}
    return floor.host.login("Sue").post(f"/v1/rounds/{number}/ruling", json=said, headers=key)


@pytest.mark.parametrize("is_seen", [True, False], ids=["heartbeat", "in flight"])
def test_no_void_gets_through_while_no_more_bets_is_on_its_way(floor, is_seen):
    """The record of no more bets is lost on the line: only the phase shows it, or nothing does.

    Neither by an order nor by a ruling is the round void without two users, reason and evidence.
    """
    give(floor, "Dan", "open_bets")
    floor.wait(lambda facts: facts["bets_open"])
    ada = floor.host.terminal(floor.host.login("Sue"), floor.table, "ada")
    key = {"Idempotency-Key": "a"}
    assert ada.post("/v1/bets", json={"bet": "red", "stake_cents": 500}, headers=key).is_success
    number = floor.host.pit.seat(floor.table).live.facts["round"]
    floor.played.is_lost = floor.played.has_closed = True
    if is_seen:
        closed = (m.BETS_CLOSED, (roulette.CLOSE_CAUSE_BALL_DETECTED, 8_000))
        floor.played.order(*closed, 1, m.PHASE_NO_MORE_BETS)
        floor.wait(lambda facts: not facts["bets_open"])
    for outcome in ({"void": "ball on the rim"}, {"stakes_back": "ball on the rim"}):
        for evidence in ({}, {"evidence": " "}):
            answer = rule(floor, number, outcome, **evidence)
            assert (answer.status_code, answer.json()["code"]) == (422, "evidence_needed")
        alone = rule(
            floor,
            number,
            outcome,
            evidence="camera 4",
            second={"name": "Sue", "password": PASSWORD},
        )
        assert alone.json()["code"] == "two_users_needed"
        assert rule(floor, number, outcome, evidence="x", reason="").status_code == 422
    alone = give(floor, "Sue", "void_round", values={"reason": "croupier_void"})
    assert (alone.status_code, alone.json()["code"]) == (403, "two_users_needed")
    [row] = floor.host.login("Sue").get("/v1/rounds").json()["rounds"]
    assert (row["closed_at"], row["ended_at"], row["verdict"]) == (None, None, "running")
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    done = rule(floor, number, {"void": "ball on the rim"}, evidence="camera 4, 21:07")
    assert done.status_code == 200, done.text
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000


def test_no_more_bets_holds_without_the_table(floor, monkeypatch):
    """It is deaf: bets are closed in the ledger all the same, and the user is asked to check."""
    assert give(floor, "Dan", "open_bets").status_code == 200
    floor.wait(lambda facts: facts["bets_open"])
    monkeypatch.setattr("tabletools.pit.pit.ANSWER_S", 0.1)
    floor.played.is_deaf = True
    answer = give(floor, "Dan", "close_bets")
    assert (answer.status_code, answer.json()["code"]) == (503, "table_silent")
    floor.wait(lambda facts: not facts["bets_open"])
    assert floor.host.pit.seat(floor.table).live.facts["cause"] == "dealer"


def test_an_order_that_was_given_up_is_not_sent():
    """It waited for the one before it, and its caller is gone: nothing goes out later."""
    session, orders = Session(), Orders()
    session.connected(0.0)
    session.receive(Sender(DEVICE, 1).build(m.STATE, (2, 1)), 0.1)
    orders.begin(session)

    def sent(now_s):
        orders.tick(now_s)
        frames = Receiver().feed(session.outgoing())
        return [frame.type for frame in frames if frame.type == m.OPEN_BETS]

    sent(0.2)
    first, second = (orders.give("open_bets", (), 0) for _ in range(2))
    assert sent(1.0) == [m.OPEN_BETS]
    second.cancel()
    assert [sent(1.0 + ANSWER_S), sent(2.0 + ANSWER_S)] == [[], []]
    assert isinstance(first.exception(0), TableUnavailable)


def test_an_order_to_a_table_that_is_gone_is_answered(floor, monkeypatch):
    """Nobody waits for what cannot come."""
    monkeypatch.setattr("tabletools.link.session.OFFLINE_AFTER_S", 0.2)
    floor.played.is_gone = True
    floor.wait(lambda facts: facts["link"] != "online")
    answer = give(floor, "Dan", "open_bets")
    assert (answer.status_code, answer.json()["code"]) == (503, "table_silent")
    assert "the table is offline" in answer.json()["detail"]


def test_an_answer_is_that_of_the_order_which_was_given_last(floor, monkeypatch):
    """One that was lost on the line does not take the answer to the same order given again."""
    floor.played.is_deaf = True
    with monkeypatch.context() as quick:
        quick.setattr("tabletools.pit.pit.ANSWER_S", 0.1)
        assert give(floor, "Dan", "open_bets").status_code == 503
    floor.played.is_deaf = False
    answer = give(floor, "Dan", "open_bets")
    assert (answer.status_code, answer.json()["answer"]) == (200, "round_opened")


def test_a_shoe_that_is_not_whole_is_refused_with_its_fault(floor):
    """The table raises the fault and reports no shoe: the order was not carried out."""
    floor.played.instead = m.FAULT_RAISED, (card_shoe.SHOE_SHORT, 255, 415, 416)
    values = {"load": "new", "cards": 415, "burns": 0}
    answer = give(floor, "Sue", "load_shoe", values=values)
    assert (answer.status_code, answer.json()["code"]) == (409, "table_refused")
    assert "931 shoe_short" in answer.json()["detail"]


def test_another_fault_that_clears_is_no_answer(floor, monkeypatch):
    """506 was to be cleared and 401 went by itself."""
    monkeypatch.setattr("tabletools.pit.pit.ANSWER_S", 0.3)
    floor.played.instead = m.FAULT_CLEARED, (401, 8, 2500)
    answer = give(floor, "Tim", "clear_fault", values={"fault": 506})
    assert (answer.status_code, answer.json()["code"]) == (503, "table_silent")
