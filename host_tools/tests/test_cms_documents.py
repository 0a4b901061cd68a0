"""The documents match what is sent: real events fit their schemas, AsyncAPI its own rules."""

import hashlib
import json
import re
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jsonschema import Draft202012Validator

from host_tools.tests.pit import DEVICE, Pit
from host_tools.tests.test_ledger_corrections import DICEBALL
from tabletools import offers
from tabletools.cms import catalogue, documents
from tabletools.cms.mqtt_sink import Topics
from tabletools.cms.outgoing_event import outgoing_event
from tabletools.evidence import Terms, alarms, claim
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.tray_versions import Corrected
from tabletools.money import day_close, outbox_queries
from tabletools.money.adjustments import Adjustment, adjust
from tabletools.money.day_close import Count, Place
from tabletools.money.gaming_day import day_of
from tabletools.pit import checkpoints
from tabletools.pit.assignments import Equipment, TableAssignment, describe
from tabletools.release import Manifest
from tabletools.store import Actor, LedgerRejection, people
from tabletools.table import dealer_shifts, play_end, programs, thrower, tray_floor
from tabletools.table.terms import create_table

DOCUMENT = json.loads((documents.FOLDER / "asyncapi.json").read_text(encoding="utf-8"))
NAME = re.compile(r"[A-Za-z0-9._-]+")


def events_of_a_night(pit):
    """Each type there is: rounds settled, void, corrected with one after it; an adjustment; an end
    of play; alarms of a table and of none."""
    pit.play(1, 17, (pit.ada, "straight", 1000, {"numbers": ["17"]}), (pit.ben, "red", 2000))
    pit.play(2, None, (pit.ada, "red", 500))
    pit.rule(1, {"pocket": "18"})
    pit.play(3, 0, (pit.ada, "red", 500, {"choice": "prison"}))
    pit.play(4, 1)
    pit.rule(3, {"pocket": "2"}, preview=pit.preview(3, {"pocket": "2"}).digest)
    said = (pit.table, pit.both, "paid to ben", "camera 4")
    for cents, about in ((700, None), (-200, pit.key(1))):
        adjustment = Adjustment(pit.ada, cents, *said, f"adjust {cents}", about)
        adjust(pit.ledger, adjustment)
    play_end.announce(pit.ledger, pit.lease, play_end.MINUTES, pit.both[1])
    play_end.withdraw(pit.ledger, pit.lease, pit.both[0])
    pit.intake.link_lost(DEVICE, "nothing heard")
    house = AlarmCause(alarms.PROGRAM, "of no table", None)
    own = house._replace(table=pit.table)
    for condition in (house, own):
        alarm = pit.ledger.run(
            lambda db, condition=condition: alarms.raise_alarm(db, condition, pit.clock.wall_ns())
        )
        alarms.clear_by_hand(pit.ledger, [alarm], pit.both[0], "it was a test")
        alarms.acknowledge(pit.ledger, alarm, pit.both[0], "seen")
    checkpoints.publish(pit.ledger, Ed25519PrivateKey.generate(), 0)
    described(pit)
    events_of_a_host(pit)
    return [
        json.loads(outgoing_event(one).body)
        for one in outbox_queries.due(pit.ledger, "reader").events
    ]


def described(pit):
    """A host plays the table."""
    equipment = Equipment("Salon 2", "Cammegh Mercury 360", "B-2031")
    terms = Terms("roulette", "hc2023", "french", {}, {}, "refund", None)
    place = TableAssignment(pit.table, "R1", DEVICE, "socket://x:1", terms, equipment=equipment)
    describe(pit.ledger, pit.lease, place)


def events_of_a_host(pit):
    """Who deals and throws, a tray corrected, a bet that comes late, a controller, a day that is
    closed twice."""
    for change in (dealer_shifts.take_over, dealer_shifts.leave):
        change(pit.ledger, pit.table, pit.both[1])
    dice = create_table(pit.ledger, "D1", DICEBALL, Actor("house"), device=9)
    lease = claim(pit.ledger, dice, "host a")
    thrower.move(pit.ledger, lease, 2, thrower.NAMED, pit.both[1])
    names = [hashlib.sha256(data).hexdigest() for data in (b"tray", b"corrected")]
    one = Corrected(names[0], *names, b"corrected", pit.both[0].user, "the print is floor")
    tray_floor.correct(pit.ledger, lease, b"tray", one, [(0, 0), (9, 0), (9, 9)], pit.both[0])
    manifest = Manifest(3, "0.3.0", {})
    facts = {"role": "roulette", "board": "pico", "firmware": "1.1.0"}

    def heard(db):
        programs.note_identity(db, pit.table, DEVICE, facts, pit.clock.wall_ns())
        answer = programs.Attested(DEVICE, 3, b"", None, None)
        programs.keep(db, pit.table, manifest, answer, pit.clock.wall_ns())

    pit.open(6)
    pit.close(6)
    pit.end(6, 3)
    with pytest.raises(LedgerRejection):
        pit.submit(pit.request(pit.ben, "red", 500))
    pit.ledger.run(heard)
    offered(pit)
    cas = people.create_user(pit.ledger, "Cas", "cashier", None, Actor("house"))
    both = [pit.both[0], Actor("Cas", cas)]
    for name in (Place("EUR"), Place("EUR", pit.table)):
        day = day_of(pit.clock.wall_ns(), 6)
        day_close.close(pit.ledger, Count(day, name, 0, both, "end of the day", name.name), 6)


def offered(pit):
    """A supervisor declines what the centre offers."""
    key, now_ns = Ed25519PrivateKey.generate(), pit.clock.wall_ns()
    offer = offers.Offer(
        site="athens",
        pit="main",
        number=1,
        kind=offers.CONFIGURATION,
        name="Slower ball",
        target="R1",
        made_ns=now_ns,
        until_ns=now_ns,
    )
    with TemporaryDirectory() as folder:
        Path(folder, "1.offer").write_bytes(offers.encoded(offer, key))
        inbox = offers.Inbox(Path(folder), key.public_key(), "athens", "main")
        decision = offers.Decision(offer.digest, False, "not this week")
        offers.decide(pit.ledger, inbox, decision, pit.both[0], None)


@pytest.fixture
def night(ledger_place):
    pit = Pit(ledger_place)
    yield events_of_a_night(pit)
    pit.ledger.close()


def inline(schema):
    """A schema with its references to the document replaced by what they name."""
    if isinstance(schema, dict):
        if set(schema) == {"$ref"}:
            return inline(target_of(schema["$ref"]))
        return {name: inline(value) for name, value in schema.items()}
    return [inline(one) for one in schema] if isinstance(schema, list) else schema


def target_of(reference):
    """What a reference names; KeyError if nothing."""
    part_of_document = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        part_of_document = part_of_document[part]
    return part_of_document


def test_every_event_fits_its_schema(night):
    """Every type happens; each fits, has its fields all declared, and its time reads."""
    kinds = {event["type"] for event in night}
    assert kinds == set(catalogue.EVENTS)
    for event in night:
        payload = inline(DOCUMENT["components"]["messages"][event["type"]]["payload"])
        Draft202012Validator(payload).validate(event)
        assert set(event) <= set(payload["properties"])
        assert set(event["data"]) <= set(payload["properties"]["data"]["properties"])
        file = documents.FOLDER / f"{event['type']}.schema.json"
        schema = json.loads(file.read_text(encoding="utf-8"))
        Draft202012Validator(schema).validate(event["data"])
        assert schema["$id"] == event["dataschema"]
        assert datetime.fromisoformat(event["time"]).utcoffset().total_seconds() == 0
    ids = [event["id"] for event in night]
    assert len(set(ids)) == len(ids)


def test_every_event_is_published_where_the_document_says(pit):
    """The topic of each is the address of a channel with its message; each channel is used."""
    events_of_a_night(pit)
    used = set()
    for event in outbox_queries.due(pit.ledger, "reader").events:
        topic = Topics().event(outgoing_event(event))
        address = topic.replace(f"/table/{event.table}/", "/table/{table}/")
        [channel] = [one for one in DOCUMENT["channels"].values() if one["address"] == address]
        assert set(channel["messages"]) == {event.type}
        used.add(address)
    addresses = {one["address"] for one in DOCUMENT["channels"].values()}
    assert used == {address for address in addresses if "/event/" in address}


def test_a_wrong_event_fits_no_schema(night):
    """A stake that is a text, an outcome of nothing, a missing sum: each is refused."""
    settled = next(one for one in night if one["type"] == "tablewire.round.settled")
    check = Draft202012Validator(catalogue.data_schema("tablewire.round.settled"))
    data = settled["data"]
    for wrong in (
        data | {"stake_cents": "3000"},
        data | {"outcome": {}},
        {name: value for name, value in data.items() if name != "win_cents"},
    ):
        assert not check.is_valid(wrong)


def test_the_files_are_those_of_the_catalogue():
    """`make gen` would write nothing."""
    assert documents.main(["--check"]) == 0


@pytest.mark.parametrize("schema", [*DOCUMENT["components"]["schemas"].values()])
def test_every_schema_is_one(schema):
    """Valid by its meta-schema."""
    Draft202012Validator.check_schema(schema)


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_the_document_has_the_form_of_asyncapi_3():
    """Fields of the specification alone, where it wants them; every reference leads somewhere."""
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert set(DOCUMENT) <= {
        "asyncapi",
        "id",
        "info",
        "servers",
        "defaultContentType",
        "channels",
        "operations",
        "components",
    }
    assert {"title", "version"} <= set(DOCUMENT["info"])
    assert {"host", "protocol"} <= set(DOCUMENT["servers"]["broker"])
    for reference in references(DOCUMENT):
        assert reference.startswith("#/")
        assert target_of(reference)
    for part in ("messages", "schemas"):
        assert all(NAME.fullmatch(name) for name in DOCUMENT["components"][part])


def test_every_channel_names_its_parameters():
    """Those in the address and no other; its messages are components."""
    for channel in DOCUMENT["channels"].values():
        assert set(channel) <= {"address", "description", "messages", "parameters"}
        named = re.findall(r"\{(\w+)\}", channel["address"])
        assert sorted(named) == sorted(channel.get("parameters", {}))
        for message in channel["messages"].values():
            assert message["$ref"].startswith("#/components/messages/")


def test_every_operation_sends_a_message_of_its_channel():
    """Quality 1; retained are states and health alone, and nothing with a result."""
    for operation in DOCUMENT["operations"].values():
        assert operation["action"] == "send"
        channel = operation["channel"]["$ref"]
        for message in operation["messages"]:
            assert message["$ref"].startswith(f"{channel}/messages/")
        mqtt = operation["bindings"]["mqtt"]
        assert mqtt["qos"] == 1
        address = target_of(channel)["address"]
        assert mqtt["retain"] == ("/event/" not in address)
    used = {one["channel"]["$ref"].split("/")[-1] for one in DOCUMENT["operations"].values()}
    assert used == set(DOCUMENT["channels"])


def test_the_example_of_the_page_is_an_event():
    """The settled round in CMS.md fits its schema, and its sums add up."""
    page = (documents.FOLDER.parent / "CMS.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```json\n(.*?)\n```", page, re.DOTALL)
    event = json.loads(text)
    payload = inline(DOCUMENT["components"]["messages"]["tablewire.round.settled"]["payload"])
    Draft202012Validator(payload).validate(event)
    sums = event["data"]
    parts = [sums[f"{name}_cents"] for name in ("back", "live", "lost")]
    assert sum(parts) == sums["stake_cents"]
