"""The emulated pit host keeps to the protocol: no untagged frame to a table with a key."""

from __future__ import annotations

import pytest

from tableemulator.machines.core.emulated_pit import PitHost
from tablewire import messages, seal
from tablewire.codec import Frame
from tablewire.framing import Receiver

SECRET = bytes(range(32))
DEVICE_NONCE = b"d" * seal.NONCE_BYTES


def heard(kind: int, boot: int, *values: object) -> Frame:
    """A frame of the table."""
    frame = Frame()
    frame.type, frame.device, frame.boot, frame.counter, frame.round = kind, 7, boot, 3, 1
    frame.uptime_ms, frame.values = 1000, values
    return frame


def identity(boot: int, host_nonce: bytes) -> Frame:
    return heard(messages.IDENTITY, boot, host_nonce, *[0] * 8, DEVICE_NONCE)


def only(wire: bytes) -> Frame:
    [frame] = Receiver().feed(wire)
    assert isinstance(frame, Frame)
    return frame


@pytest.fixture
def host() -> PitHost:
    """It has a session in boot 1."""
    pit = PitHost(SECRET, bytes)
    question = only(pit.hear(identity(1, bytes(seal.NONCE_BYTES))))
    [nonce] = question.values
    pit._nonce = nonce = b"h" * len(nonce)  # nonces of zeros mean that nobody asked
    assert only(pit.hear(identity(1, nonce))).type == messages.START_SESSION
    return pit


def test_a_record_is_acknowledged_with_a_tag(host: PitHost) -> None:
    record = heard(messages.ROUND_OPENED, 1, 1, 7, 60_000)
    host.hear(record)
    acknowledged = only(host.acknowledge(record))
    assert (acknowledged.type, acknowledged.tag is None) == (messages.ACKNOWLEDGE, False)


def test_after_a_restart_no_record_is_acknowledged_before_a_session(host: PitHost) -> None:
    """Another host may be in a session by then: the table would lock, fault 506."""
    record = heard(messages.ROUND_OPENED, 2, 1, 7, 60_000)
    host.hear(record)
    assert host.acknowledge(record) == b""
    assert only(host.hear(identity(2, b"h" * seal.NONCE_BYTES))).type == messages.START_SESSION
    assert only(host.acknowledge(record)).tag is not None


def test_a_table_without_a_key_is_acknowledged_at_once() -> None:
    host, record = PitHost(None, bytes), heard(messages.ROUND_OPENED, 1, 1, 7, 60_000)
    host.hear(record)
    assert only(host.acknowledge(record)).type == messages.ACKNOWLEDGE
