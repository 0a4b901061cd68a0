"""The construct definitions against the hand-written vectors, and the guards on the schema."""

import copy
import json
from importlib import import_module

import pytest
from construct import ConstructError, Struct, Terminated

from protocol.tests.test_vectors import blocks, ident_of, unhex, values_of
from tablespec import check_break, frame, generate, names
from tablespec.message_list import BY_ID, MESSAGES
from tablespec.reasons import REASONS
from tablespec.roles import ROLES
from tablespec.wire_schema import fingerprint, schema
from tablewire import messages
from tablewire.crc import crc32


def parsed(block):
    """A vector's body as construct reads it, strict about what follows."""
    body = unhex(block["body"].replace(" ", "")) + unhex(block["crc"])
    layout = frame.body(BY_ID[ident_of(block["message"])].payload)
    return Struct("frame" / layout, Terminated).parse(body).frame


@pytest.mark.parametrize("block", blocks("frames.txt"), ids=lambda block: block["counter"])
def test_construct_reads_the_vectors(block):
    message = parsed(block)
    assert message.header.counter == int(block["counter"])
    assert message.header.round == 9
    read = [value for key, value in message.payload.items() if key != "_io"]
    for value, written in zip(read, values_of(block), strict=True):
        if isinstance(written, bytes):
            assert value.rstrip(b"\0") == written
        else:
            assert value == written


@pytest.mark.parametrize("block", blocks("frames.txt"), ids=lambda block: block["counter"])
def test_construct_builds_the_vectors(block):
    message = parsed(block)
    layout = frame.body(BY_ID[ident_of(block["message"])].payload)
    assert layout.build(message).hex() == block["body"].replace(" ", "") + block["crc"]


def test_construct_refuses_what_the_device_refuses():
    payload = BY_ID[messages.ROUND_OPENED].payload
    for data in ("09 07 60ea0000", "02 00 60ea0000", "02 07 ffffffff"):
        with pytest.raises(ConstructError):
            payload.parse(bytes.fromhex(data))
    with pytest.raises(ConstructError):
        payload.build({"layout": 2, "requirement": 21, "max_bet_ms": 60000})


def test_every_field_says_what_it_is():
    for message in MESSAGES:
        assert message.meaning
        for name, facts in message.facts():
            assert facts.meaning, f"{message.name}.{name}"
            assert (
                facts.unknown is None
                or not facts.low <= facts.unknown <= facts.high
                or (facts.names and facts.unknown not in dict(facts.names))
            ), f"{message.name}.{name}: the unknown value is a known one"


def test_ids_follow_the_direction():
    assert len({message.id for message in MESSAGES}) == len(MESSAGES)
    for message in MESSAGES:
        assert (0x40 <= message.id < 0x60) == (message.sender == "host")
        assert message.durable == (0x10 <= message.id < 0x40)


def test_longest_frame_fits():
    for message in MESSAGES:
        assert frame.Header.sizeof() + message.payload.sizeof() + 16 + 4 <= frame.MAX_BODY


def test_every_reason_is_reported_in_full():
    assert len({reason.number for reason in REASONS}) == len(REASONS)
    for reason in REASONS:
        assert reason.cause.endswith(".")
        assert reason.remedy.endswith(".")
        assert reason.rule
        owner = next((role.name for role in ROLES if reason in role.reasons), "codes")
        module = import_module(f"tablewire.{owner}")
        assert getattr(module, reason.name.upper()) == reason.number


def test_generated_files_are_current():
    assert generate.main(["--check"]) == 0


def test_fingerprint_is_that_of_the_schema():
    for number, role in names.ROLE:
        text = json.dumps(schema(role), sort_keys=True, separators=(",", ":"))
        assert fingerprint(role) == crc32(text.encode(), 0) == messages.FINGERPRINTS[number]


def test_fingerprint_of_a_role_ignores_the_words_of_others(monkeypatch):
    before = {role: fingerprint(role) for _, role in names.ROLE}
    words = {message.name: message for message in MESSAGES}["dice_result"]
    monkeypatch.setattr(words.payload.subcons[0], "name", "renamed")
    changed = {role for _, role in names.ROLE if fingerprint(role) != before[role]}
    assert changed == {"dice_tray"}


def test_seed_depends_on_the_major_version_alone():
    assert frame.SEED == crc32(b"tablewire 1", 0) == messages.SEED == 0xFE73ED46


class TestBreakCheck:
    """protocol/released against changes nobody may make."""

    @staticmethod
    def changed(change):
        new = copy.deepcopy(schema())
        change(new)
        return check_break.breaks(schema(), new)

    def test_released_schema_holds(self):
        assert check_break.main([]) == 0

    def test_nothing_changed(self):
        assert self.changed(lambda new: None) == []

    def test_new_message_is_allowed(self):
        extra = dict(schema()["messages"][0], id=0x3F, name="extra")
        assert self.changed(lambda new: new["messages"].append(extra)) == []

    def test_appended_field_needs_a_later_since(self):
        def append(since, unknown=255):
            field = dict(
                schema()["messages"][2]["fields"][0], name="extra", since=since, unknown=unknown
            )
            return self.changed(lambda new: new["messages"][2]["fields"].append(field))

        assert append(1) == []
        assert append(0) == ["message 0x03 state.extra: appended, so since must be above 0"]
        gap = append(1, None)
        assert gap == ["message 0x03 state.extra: appended, so it needs an unknown value"]

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (lambda new: new["messages"].pop(1), "message 0x02 heartbeat is gone"),
            (lambda new: new["messages"][1].update(id=0x3F), "message 0x02 heartbeat is gone"),
            (lambda new: new["messages"][2]["fields"].reverse(), "name changed"),
            (lambda new: new["messages"][2]["fields"][0].update(code="H"), "code changed"),
            (lambda new: new["messages"][2]["fields"].pop(), "a field is gone"),
            (lambda new: new["messages"][2]["fields"][0]["names"].pop(), "is no longer"),
            (lambda new: new["header"].reverse(), "header changed"),
            (lambda new: new["flags"].pop(), "flags changed"),
            (lambda new: new["configuration"].pop(0), "configuration key 1 role"),
        ],
    )
    def test_break_is_named(self, change, sentence):
        assert sentence in " ".join(self.changed(change))
