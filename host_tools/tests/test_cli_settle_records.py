"""Device result to settlement in one command: shoes, draws, voids, and what may not be settled."""

import json

import pytest

from host_tools.tests import machines
from host_tools.tests.pit import Hand
from tableemulator.machines import repeater
from tabletools.authenticity import NONE, VERIFIED
from tabletools.capture import FROM_TABLE, Writer
from tabletools.cli.main import run
from tabletools.cli.settle_recorded import opened_results
from tabletools.decode.stream_tags import Tags
from tabletools.evidence import claim
from tabletools.evidence.tables import device_table
from tabletools.rules.records import NO_RESULT
from tabletools.rules.violation import RuleViolation
from tabletools.store import Store
from tabletools.table.intake import Intake
from tablewire import card_shoe as shoe
from tablewire import codes
from tablewire import messages as m
from tablewire.cobs import stuff, unstuff
from tablewire.codec import CRC_BYTES, TAG_BYTES
from tablewire.crc import crc32
from tablewire.draw_machine import WHEEL_BALLS
from tablewire.framing import Receiver
from tablewire.roulette import WHEEL_RESULT
from tablewire.seal import Mac, Session
from tablewire.sender import Sender
from tablewire.shuffler import CARD_ROUND_ENDED, WHEEL_CARDS

DEVICE = 7
NATURAL = "4H 5C 5D 2D".split()  # punto 9, banco 7
PUNTO = {"rules": "hc2023", "game": "punto_banco"}
LIVE = {"rules": "de-live", "game": "baccarat"}
CARD = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]


class Table:
    """A table whose records a host without a ledger keeps sealed, round after round."""

    def __init__(self, file, kind):
        self.store = Store.open(file, clock=Hand())
        table = device_table(self.store, DEVICE)
        self.intake = Intake(self.store, claim(self.store, table, "collect"))
        self.sender, self.kind, self.seal = Sender(DEVICE, 1), kind, VERIFIED

    def say(self, ident, values, flags=m.FLAG_DURABLE):
        wire = self.sender.build(ident, values, flags)
        [frame] = Receiver().feed(wire)
        self.intake.observe(frame)
        self.intake.store(frame, wire, self.seal)

    def begin(self, number, *, close=True):
        self.sender.round = number
        self.say(m.ROUND_OPENED, (self.kind, 8, 60_000))
        if close:
            self.say(m.BETS_CLOSED, (1, 8_000))

    def deal(self, cards):
        for record in machines.dealt(cards):
            self.say(*record)

    def shoe_round(self, number, cards):
        self.begin(number)
        self.deal(cards)
        self.say(*machines.ended(cards))

    def draw(self, number, balls, of):
        self.kind = WHEEL_BALLS
        self.begin(number)
        for record in machines.drawn(balls, of):
            self.say(*record)

    def void(self, code):
        self.say(*machines.void(code))


@pytest.fixture
def table(tmp_path):
    new_table = Table(tmp_path / "night.db", 8)
    yield new_table
    new_table.store.close()


@pytest.fixture
def settle(tmp_path, capfdbinary):
    """Settle rounds from the table's records; returns the answers."""

    def settled(*rounds, code=0):
        lines = tmp_path / "rounds.jsonl"
        lines.write_text("".join(json.dumps(each) + "\n" for each in rounds))
        recorded = ["--records", str(tmp_path / "night.db")]
        assert run(["settle", str(lines), *recorded]) == code
        return [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]

    return settled


def bets(*names, stake=1000):
    return [{"id": name, "bet": name, "stake": stake} for name in names]


def came_to(answer):
    return [(x["outcome"], x["win"], x["back"]) for x in answer["settlements"]]


def code_of(answer):
    return answer["error"]["code"], answer["error"]["where"]


def test_a_round_of_a_shoe(table, settle):
    """Punto 9 against 7: 1:1, banco lost; the same cards on de-live, where the bank has lost."""
    table.shoe_round(12, NATURAL)
    recorded = {"round": 12, "device": DEVICE}
    first, second = settle(
        {**PUNTO, "bets": bets("punto", "banco"), "recorded": recorded},
        {**LIVE, "bets": bets("player", "tie"), "recorded": {"round": 12}},
    )
    assert came_to(first) == [("win", 1000, 1000), ("lose", 0, 0)]
    assert came_to(second) == [("win", 1000, 1000), ("lose", 0, 0)]


def test_boxes_of_games_with_own_hands(table, settle):
    """The shoe reports no seats: the number of boxes and their decisions are in the round."""
    table.shoe_round(1, ["2C", "AD", "7H"])
    war = {"rules": "hc2023", "game": "casino_war", "bets": bets("bet")}
    low, high = settle(*({**war, "recorded": {"round": 1, "boxes": 2, "box": n}} for n in (1, 2)))
    assert came_to(low) == [("lose", 0, 0)]
    assert came_to(high) == [("win", 1000, 1000)]
    none, beyond = settle(
        {**war, "recorded": {"round": 1}}, {**war, "recorded": {"round": 1, "boxes": 99}}, code=1
    )
    assert code_of(none) == ("needs_ruling", "line 1")
    assert code_of(beyond) == ("deal_not_by_rule", "line 2: recorded.boxes")
    table.shoe_round(2, "8H 9S 3D TC 8C".split())  # 8-3 takes one card, 21; the bank has 17
    decided = {"round": 2, "decisions": [{"act": "double"}]}
    box = [*bets("bet"), {"id": "d", "bet": "double", "stake": 1000}]
    # hc deals the bank's second card last: TC is the box's, 8C the bank's.
    [answer] = settle({"rules": "hc2023", "game": "blackjack", "bets": box, "recorded": decided})
    assert came_to(answer) == [("win", 1000, 1000), ("win", 1000, 1000)]


def test_de_live_deals_the_bank_its_hidden_card_first(table, settle):
    """BJ 3.4: 8H to the box, 9S, 3D, hidden 7C, then TC to the box: 21 against 16 and a two."""
    table.shoe_round(1, "8H 9S 3D 7C TC 2C".split())
    recorded = {"round": 1, "decisions": [{"act": "card"}, {"act": "stand"}]}
    live = {"rules": "de-live", "game": "blackjack", "bets": bets("bet"), "recorded": recorded}
    assert came_to(settle(live)[0]) == [("win", 1000, 1000)]


def test_a_draw_of_keno(table, settle):
    """Two of two pay 12: EUR 10 bring 120, the price of the form is spent."""
    table.draw(3, range(2, 41, 2), 80)
    form = [{"id": "1", "bet": "numbers", "on": [2, 40], "stake": 1000}]
    round_ = {"rules": "hc2023", "game": "keno", "bets": form, "recorded": {"round": 3}}
    [answer] = settle({**round_, "table": {"pays": {"2": {"2": 12}}}})
    assert came_to(answer) == [("win", 12_000, 0)]


def test_a_draw_of_bingo_goes_by_its_order(table, settle):
    """The fifth ball completes the first row; with one ball more or less no bet is paid."""
    card = [{"id": "1", "player": "p", "bet": "card", "on": CARD, "stake": 200}]
    bingo = {"rules": "hc2023", "game": "bingo", "variant": "80", "bets": card}
    bingo["table"] = {"pattern": "row", "prize": 50_000}
    for number, balls in enumerate(([4, 3, 77, 1, 2], [4, 3, 1, 2, 77], [4, 3, 77, 1]), 1):
        table.draw(number, balls, 80)
    won, after, before = settle(*({**bingo, "recorded": {"round": n}} for n in (1, 2, 3)), code=1)
    assert came_to(won) == [("win", 50_000, 0)]
    assert code_of(after)[0] == "deal_not_by_rule"
    assert code_of(before)[0] == "deal_incomplete"


def test_a_misdeal_of_de_live_by_its_shoe(table, settle):
    """A card too many: refused, or by the table's option all stakes are returned."""
    table.shoe_round(1, [*NATURAL, "2S"])
    live = {**LIVE, "bets": bets("player"), "recorded": {"round": 1}}
    plain, option = settle(live, {**live, "table": {"misdeal_voids": True}}, code=1)
    assert code_of(plain)[0] == "deal_not_by_rule"
    assert came_to(option) == [("void", 0, 1000)]


def test_a_void_of_a_shoe(table, settle):
    """Punto 0 against 7 with a third card to come: the pair has won, the rest is open (3:1(7))."""
    table.begin(1)
    table.deal("KH 5C KD 2D".split())
    table.void(shoe.READER_LINK_LOST)
    recorded = {"recorded": {"round": 1}}
    hc = {**PUNTO, "bets": bets("punto_pair", "banco"), **recorded}
    plain, option, live = settle(
        hc,
        {**hc, "table": {"shoe_as_shuffler": True}},
        {**LIVE, "bets": bets("player"), **recorded},
        code=1,
    )
    assert code_of(plain) == ("needs_ruling", "line 1: outcome")
    assert came_to(option) == [("win", 11_000, 1000), ("void", 0, 1000)]
    assert came_to(live) == [("void", 0, 1000)]


def test_a_void_no_rule_speaks_of(table, settle):
    """A tilt is no fault of a shoe; with one card unread the decisions are unknown."""
    option = {"table": {"shoe_as_shuffler": True}, "bets": bets("banco")}
    for number, (cards, code) in enumerate([("KH", codes.TILT), ("??", shoe.READER_LINK_LOST)], 1):
        table.begin(number)
        table.deal([cards])
        table.void(code)
    tilt, unread = settle(*({**PUNTO, **option, "recorded": {"round": n}} for n in (1, 2)), code=1)
    assert code_of(tilt)[0] == "needs_ruling"
    assert code_of(unread)[0] == "deal_incomplete"


def test_a_void_before_any_card(table, settle):
    """Void while bets were open, before any card: every stake is returned."""
    table.begin(1, close=False)
    table.void(codes.TILT)
    assert came_to(settle({**PUNTO, "bets": bets("banco"), "recorded": {"round": 1}})[0]) == [
        ("void", 0, 1000)
    ]


def test_a_table_with_a_shuffler_tells_no_cards(table, settle):
    """The croupier's hands settle it, or nothing does; a jam leaves decided bets decided."""
    table.kind = WHEEL_CARDS
    for number, jammed in ((1, False), (2, True)):
        table.begin(number)
        if jammed:
            table.void(801)
        else:
            table.say(CARD_ROUND_ENDED, (5000,))
    whole, broken = ({"punto": "4H 5D", "banco": "5C 2D"}, {"punto": "KH KD", "banco": "5C 2D"})
    base = {**PUNTO, "bets": bets("punto_pair", "banco")}
    first, second, none = settle(
        {**base, "recorded": {"round": 1, "dealt": whole}},
        {**base, "recorded": {"round": 2, "dealt": broken}},
        {**base, "recorded": {"round": 1}},
        code=1,
    )
    assert came_to(first) == [("lose", 0, 0), ("lose", 0, 0)]
    assert came_to(second) == [("win", 11_000, 1000), ("void", 0, 1000)]
    assert code_of(none)[0] == "needs_ruling"


def unseal(table):
    table.seal = NONE
    table.shoe_round(1, NATURAL)


def unseal_one(table):
    table.begin(1)
    table.seal = NONE
    table.deal(NATURAL[:1])
    table.seal = VERIFIED
    table.void(shoe.READER_LINK_LOST)


def running(table):
    table.begin(1)


def missing(table):
    table.begin(1)
    table.sender.build(m.HEARTBEAT, (1, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000))
    table.void(shoe.READER_LINK_LOST)


def wrong_sum(table):
    table.begin(1)
    table.deal(NATURAL)
    table.say(*machines.ended(NATURAL, wrong=1))


def test_mode(table):
    table.begin(1)
    table.say(*machines.ended(NATURAL), m.FLAG_DURABLE | m.FLAG_TEST_MODE)


@pytest.mark.parametrize(
    "play", [unseal, unseal_one, running, missing, wrong_sum, test_mode, lambda _table: None]
)
def test_what_is_not_sure_settles_nothing(table, settle, play):
    """Not sealed, not ended, with a gap, not adding up, in test mode, or missing."""
    play(table)
    [answer] = settle({**LIVE, "bets": bets("player"), "recorded": {"round": 1}}, code=1)
    assert code_of(answer) == ("no_result", "line 1: recorded")


ROULETTE = {"rules": "hc2023", "game": "roulette", "variant": "french"}
ON_1 = {"id": "1", "bet": "straight", "numbers": ["1"], "stake": 1000}
BINGO = {"id": "1", "player": "p", "bet": "card", "on": CARD, "stake": 200}


def five_circuits(table):
    """A wheel that is configured for fewer circuits than the edition has."""
    table.say(m.ROUND_OPENED, (1, 4, 60_000))
    table.say(m.BETS_CLOSED, (1, 8_000))
    pocket, index, sensor, direction, circuits_centi, *rest = repeater.result(1, "single")
    assert circuits_centi == 1500
    table.say(WHEEL_RESULT, (pocket, index, sensor, direction, 500, *rest))


def double_zero(table):
    table.say(m.ROUND_OPENED, (2, 7, 60_000))
    table.say(m.BETS_CLOSED, (1, 8_000))
    table.say(WHEEL_RESULT, repeater.result(1, "double"))


@pytest.mark.parametrize(
    ("play", "asked", "why"),
    [
        (five_circuits, {**ROULETTE, "bets": [ON_1]}, "requires 7"),
        (double_zero, {**ROULETTE, "bets": [ON_1]}, "needs single"),
        (
            lambda table: table.draw(1, [4, 3, 77, 1, 2], 80),
            {
                "rules": "hc2023",
                "game": "bingo",
                "variant": "75",
                "bets": [BINGO],
                "table": {"pattern": "row", "prize": 50_000},
            },
            "75 belong there",
        ),
        (
            lambda table: table.draw(1, [4, 3, 77, 1, 2], 80),
            {"rules": "hc2023", "game": "bingo", "variant": "many", "bets": [BINGO]},
            "belong there",
        ),
        (
            lambda table: table.shoe_round(1, NATURAL),
            {**ROULETTE, "bets": [ON_1]},
            "roulette is played on a roulette",
        ),
    ],
)
def test_a_result_is_judged_by_the_game_it_settles(table, settle, play, asked, why):
    """A host without terms believed it by the table's own configuration; a pit would not."""
    table.sender.round = 1
    play(table)
    [answer] = settle({**asked, "recorded": {"round": 1}}, code=1)
    assert code_of(answer) == ("no_result", "line 1: recorded")
    assert why in answer["error"]["message"]


@pytest.mark.parametrize(
    ("recorded", "code"),
    [
        (5, "wrong_type"),
        ({}, "missing_field"),
        ({"round": "1"}, "wrong_type"),
        ({"round": 1 << 80}, "no_result"),
        ({"round": 1, "device": -(1 << 80)}, "no_result"),
        ({"round": 1, "seat": 2}, "unknown_field"),
        ({"round": 1, "box": True}, "wrong_type"),
        ({"round": 1, "box": 0}, "deal_not_by_rule"),
        ({"round": 1, "decisions": [{}]}, "missing_field"),
        ({"round": 1, "decisions": {"act": "card"}}, "wrong_type"),
        ({"round": 1, "dealt": "4H 5D"}, "wrong_type"),
    ],
)
def test_what_is_no_naming_of_a_round(table, settle, recorded, code):
    """Each is answered, none is a fault of the program."""
    table.shoe_round(1, NATURAL)
    [answer] = settle({**PUNTO, "bets": bets("banco"), "recorded": recorded}, code=1)
    assert code_of(answer)[0] == code


def test_an_outcome_beside_what_was_recorded_is_refused(table, settle):
    table.shoe_round(1, NATURAL)
    both = {**PUNTO, "bets": [], "recorded": {"round": 1}, "outcome": {"void": "x"}}
    assert code_of(settle(both, code=1)[0])[0] == "outcome_not_one"


@pytest.mark.parametrize("text", ["nothing", None])
def test_a_file_that_is_neither(tmp_path, capsys, text):
    """Refused in words, with what to give."""
    if text is not None:
        (tmp_path / "notes").write_text(text)
    assert run(["settle", "-", "--records", str(tmp_path / "notes")]) == 1
    assert "give a database of `collect` or `serve`, or a capture" in capsys.readouterr().err


def punto_of(truth):
    """8 and ace are 9, 7 and jack are 7: a natural, punto is paid 1:1."""
    assert truth["cards"] == ["8H", "7C", "AC", "JC"], "the model of seed 7 deals other cards"
    return {**PUNTO, "bets": bets("punto", "banco")}, [1000, 0]


def bingo_of(truth):
    """A card whose first row the last five balls complete, all its other numbers never drawn."""
    balls = truth["rested"]
    other = [n for n in range(1, 76) if n not in balls][:19]
    rows = [balls[-5:], other[:5], [*other[5:7], 0, *other[7:9]], other[9:14], other[14:]]
    card = {"id": "1", "player": "p", "bet": "card", "on": rows, "stake": 200}
    table = {"pattern": "row", "prize": 50_000}
    base = {"rules": "hc2023", "game": "bingo", "variant": "75", "table": table}
    return {**base, "bets": [card]}, [50_000]


@pytest.mark.parametrize("role", ["card_shoe", "draw_machine"])
def test_from_the_firmware_to_the_money(tmp_path, capfdbinary, role):
    """An emulated table with a key, its capture, and bets that pay by the cards dealt."""
    keys, capture, lines = (str(tmp_path / name) for name in ("keys", "night", "bets"))
    assert run(["keys", "new", "1382865454", "--keys", keys]) == 0
    played = ["--spins", "1", "--seed", "7", "--key", keys, "--out", capture]
    draws = ["--balls", "75", "--draws", "0"] if role == "draw_machine" else []
    assert run(["emulate", role, *draws, *played, "--truth", str(tmp_path / "truth")]) == 0
    truth = json.loads((tmp_path / "truth").read_text())
    round_, paid = (bingo_of if draws else punto_of)(truth)
    (tmp_path / "bets").write_text(json.dumps(round_ | {"recorded": {"round": 1}}))
    capfdbinary.readouterr()
    assert run(["settle", lines, "--records", capture, "--keys", keys]) == 0
    assert [x["win"] for x in json.loads(capfdbinary.readouterr().out)["settlements"]] == paid


def capture_of(place, wires):
    """A capture of frames as they came from the table, one a second."""
    with place.open("w") as stream:
        writer = Writer(stream, {})
        for second, wire in enumerate(wires):
            writer.chunk(second * 1_000_000, FROM_TABLE, wire)
    return place


def as_newer(wire, mac, flags=m.FLAG_AUTHENTICATED | m.FLAG_DURABLE):
    """The frame as one of a type that a later minor version adds, with the tag it then has."""
    body = bytearray(unstuff(wire[:-1]))[: -CRC_BYTES - TAG_BYTES]
    body[1:3] = 0x3E, flags
    sealed = bytes(body) + mac.digest(body)[:TAG_BYTES]
    sealed += crc32(sealed, m.SEED).to_bytes(CRC_BYTES, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


def test_a_forged_result_after_a_record_that_cannot_be_read(tmp_path):
    """The seal of an authentic frame of a newer schema is not that of the frame after it."""
    secret, wheel = bytes(range(32)), (17, 8, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, 0)
    session = Session(secret, DEVICE, 1, bytes(8), b"12345678")
    table, forger = Sender(DEVICE, 1), Sender(DEVICE, 1)
    table.mac, forger.mac = session.table, Mac(bytes(32))
    identity = (bytes(8), m.FINGERPRINTS[1], 0, 1, 0, 1, 1, 1, b"", b"12345678", 1)
    wires = [table.build(m.IDENTITY, identity)]
    table.round = forger.round = 1
    wires.append(table.build(m.ROUND_OPENED, (1, 7, 60_000), m.FLAG_DURABLE))
    wires.append(table.build(m.BETS_CLOSED, (1, 8_000), m.FLAG_DURABLE))
    forger.counter = table.counter
    ended = [each.build(WHEEL_RESULT, wheel, m.FLAG_DURABLE) for each in (table, forger)]
    unread = as_newer(ended[0], session.table, m.FLAG_AUTHENTICATED)  # no record: holds nothing
    round_ = {"rules": "hc2023", "game": "roulette", "variant": "french", "bets": []}
    round_ |= {"recorded": {"round": 1}}
    for name, rest in (("as sent", ended[:1]), ("forged", [unread, ended[1]])):
        capture = capture_of(tmp_path / name, [*wires, *rest])
        with opened_results(capture, Tags(lambda device: {1: secret})) as with_outcome:
            if name == "as sent":
                assert with_outcome(round_)["outcome"] == {"pocket": "17"}
            else:
                with pytest.raises(RuleViolation) as caught:
                    with_outcome(round_)
                assert caught.value.code == NO_RESULT


# --- captures that were edited -------------------------------------------------------------------

HEARTBEAT = (m.PHASE_CLOSED, 0, 0, 1, 142, 0, 0, 0, 180_000, 96_000)
"""No record waits: the host that was on the line had acknowledged all of them."""


class Recording:
    """The frames of a table with a key, from the beginning of a session.

    Session, sender: of the table. wires: its frames as they were on the line.
    """

    def __init__(self, secret=bytes(range(32)), device=DEVICE):
        self.secret, self.device = secret, device
        self.session = Session(secret, device, 1, bytes(8), b"12345678")
        self.sender = Sender(device, 1)
        self.sender.mac, self.wires = self.session.table, []
        self.say(m.IDENTITY, (bytes(8), m.FINGERPRINTS[1], 0, 1, 0, 1, 1, 1, b"", b"12345678", 1))
        self.sender.round = 1

    def say(self, ident, values, flags=0):
        self.wires.append(self.sender.build(ident, values, flags))

    def record(self, ident, values):
        self.say(ident, values, m.FLAG_DURABLE)

    def begin(self, kind=8):
        self.record(m.ROUND_OPENED, (kind, 8, 60_000))
        self.record(m.BETS_CLOSED, (1, 8_000))
        return self

    def broken_deal(self, cards):
        """Cards, then the reader is lost: where a shoe counts as a shuffler they decide."""
        for record in machines.dealt(cards):
            self.record(*record)
        self.record(*machines.void(shoe.READER_LINK_LOST))
        self.say(m.HEARTBEAT, HEARTBEAT)
        return self

    def settled(self, place, round_, wires=None):
        """Return the outcome of a round by a capture of these frames, or why there is none."""
        capture = capture_of(place, self.wires if wires is None else wires)
        keys = {self.device: {1: self.secret}}
        with opened_results(capture, Tags(lambda device: keys.get(device, {}))) as with_outcome:
            try:
                return with_outcome(round_)["outcome"]
            except RuleViolation as refusal:
                return refusal.what


SHUFFLED = {**PUNTO, "table": {"shoe_as_shuffler": True}, "bets": [], "recorded": {"round": 1}}
FIRST_OF_ROUND, FIRST_CARD, LAST_CARD = 1, 3, 6  # places among the frames of a broken deal


@pytest.mark.parametrize("lost", [[LAST_CARD], range(FIRST_CARD, LAST_CARD + 1), range(1, 7)])
def test_a_record_cut_out_of_a_capture(tmp_path, lost):
    """A heartbeat without waiting records says what the host had, not what the file has.

    Punto 9 beats banco 7; without the last card banco got its stake back, without all of them, or
    without the beginning of the round, everyone did.
    """
    table = Recording().begin().broken_deal(NATURAL)
    whole = table.settled(tmp_path / "whole", SHUFFLED)
    assert (whole["punto"], whole["banco"]) == ("4H 5D", "5C 2D")
    cut = [wire for place, wire in enumerate(table.wires) if place not in lost]
    assert "not all of it is in the capture" in table.settled(tmp_path / "cut", SHUFFLED, cut)


def test_a_frame_lost_before_a_round_does_not_matter(tmp_path):
    """The table opens no round with an active fault; a capture may begin within a boot."""
    table = Recording()
    table.sender.counter += 50
    whole = table.begin().broken_deal(NATURAL).settled(tmp_path / "late", SHUFFLED)
    assert whole["banco"] == "5C 2D"


@pytest.mark.parametrize("flags", [0, m.FLAG_DURABLE])
def test_a_forged_frame_fills_no_gap_of_a_capture(tmp_path, flags):
    """A frame without a tag has the counter of a card that was cut out."""
    table, forger = Recording().begin().broken_deal(NATURAL), Sender(DEVICE, 1)
    forger.counter = LAST_CARD
    wires = [*table.wires]
    wires[LAST_CARD] = forger.build(m.HEARTBEAT, HEARTBEAT, flags)
    assert "not all of it" in table.settled(tmp_path / "forged", SHUFFLED, wires)


def test_a_table_restarted_in_a_round_of_a_capture(tmp_path):
    """What a boot sent last can be cut out without a gap: no frame comes after it."""
    table = Recording().begin()
    session = Session(table.secret, DEVICE, 2, bytes(8), b"87654321")
    after = Sender(DEVICE, 2)
    after.mac = session.table
    identity = (bytes(8), m.FINGERPRINTS[1], 0, 1, 0, 1, 1, 1, b"", b"87654321", 1)
    wires = [*table.wires[:2], after.build(m.IDENTITY, identity)]
    after.round = 1
    wires.append(after.build(*machines.void(codes.SYSTEM_INTERRUPTION), m.FLAG_DURABLE))
    wires.append(after.build(m.HEARTBEAT, HEARTBEAT))
    assert "not all of it" in table.settled(tmp_path / "restarted", SHUFFLED, wires)


def test_a_key_speaks_for_its_own_table_only(tmp_path):
    """Device 7 and its key, in the session of device 7, report a round of device 8."""
    wheel = (17, 8, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, 0)
    round_ = {"rules": "hc2023", "game": "roulette", "variant": "french", "bets": []}
    for device in (DEVICE, DEVICE + 1):
        table = Recording()
        table.sender.device = device
        table.begin(kind=1).record(WHEEL_RESULT, wheel)
        table.say(m.HEARTBEAT, HEARTBEAT)
        asked = {**round_, "recorded": {"round": 1, "device": device}}
        answer = table.settled(tmp_path / str(device), asked)
        assert (answer == {"pocket": "17"}) is (device == DEVICE), answer


def test_a_record_that_cannot_be_read_holds_a_round_of_a_capture(tmp_path):
    """As on the line: it may be a fault, or a card, of a newer schema."""
    table = Recording().begin()
    table.record(m.FAULT_RAISED, (508, m.UNKNOWN_U8, 0, 0))
    table.wires[-1] = as_newer(table.wires[-1], table.session.table)
    table.broken_deal(NATURAL)
    assert "cannot be read" in table.settled(tmp_path / "newer", SHUFFLED)
