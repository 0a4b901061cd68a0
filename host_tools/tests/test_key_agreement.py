"""Rotation at the host: the device's arithmetic against a library, lost frames, thieves."""

import itertools
import os

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import Served
from tabletools.cli.keys import change
from tabletools.cli.main import run
from tabletools.keys import Agreement, DisagreementError, Key, Keyring
from tabletools.link.nonces import fresh_nonce
from tablewire import messages as m
from tablewire.rotation import agreed
from tablewire.seal import Session, expand, extract
from tablewire.x25519 import BASE_POINT, SmallOrderError, finish, multiply

OLD = Key(1, bytes(range(32)))
BYTES_32 = st.binary(min_size=32, max_size=32)


def public_of(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


@given(BYTES_32, BYTES_32)
@settings(max_examples=share(100, 3), deadline=None)
def test_the_arithmetic_is_that_of_the_library(scalar, point):
    """Any scalar, any 32 bytes as a point."""
    private = X25519PrivateKey.from_private_bytes(scalar)
    assert finish(multiply(scalar, BASE_POINT)) == public_of(private)
    try:
        expected = private.exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        with pytest.raises(SmallOrderError):
            finish(multiply(scalar, point))
    else:
        assert finish(multiply(scalar, point)) == expected


@given(st.binary(max_size=80), st.binary(max_size=80), st.binary(max_size=80), st.integers(1, 100))
@settings(max_examples=share(100, 3), deadline=None)
def test_the_derivation_is_that_of_the_library(secret, salt, info, length):
    """HKDF with SHA-256, any lengths; a session's keys and those of a rotation come from it."""
    expected = HKDF(hashes.SHA256(), length, salt, info).derive(secret)
    assert expand(extract(salt, secret), info, length) == expected


def answer_of(key, agreement, private=None, number=2, device=7):
    """What a table with this key and one-time secret answers: public key and proof."""
    private = private or X25519PrivateKey.generate()
    shared = private.exchange(X25519PublicKey.from_public_bytes(agreement.public))
    public = public_of(private)
    return public, agreed(key, shared, device, number, agreement.public, public)


def test_both_ends_agree():
    agreement = Agreement(7, OLD, 2)
    public, (key, proof, theirs) = answer_of(OLD.secret, agreement)
    assert agreement.accept(public, proof) == (Key(2, key), theirs)


def test_an_answer_of_another_key_table_number_or_offer_is_refused():
    """What a man in the middle without the key can send, and what he can replay."""
    agreement, earlier = Agreement(7, OLD, 2), Agreement(7, OLD, 2)
    private = X25519PrivateKey.generate()
    good = answer_of(OLD.secret, agreement, private)
    bad = [
        answer_of(bytes(32), agreement),
        answer_of(OLD.secret, agreement, device=8),
        answer_of(OLD.secret, agreement, number=3),
        answer_of(OLD.secret, earlier, private),
    ]
    answers = [(public, proof) for public, (_, proof, _) in bad]
    answers += [(good[0], good[1][2]), (good[0], bytes(16)), (answers[0][0], good[1][1])]
    for public, proof in answers:
        with pytest.raises(DisagreementError, match="proof"):
            agreement.accept(public, proof)
    assert agreement.accept(good[0], good[1][1])[0].secret == good[1][0]


@pytest.mark.parametrize(
    "public", [bytes(32), b"\1" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f"]
)
def test_a_point_of_small_order_is_refused(public):
    """Even with the proof that fits: the secret would be zero, and known to all."""
    agreement = Agreement(7, OLD, 2)
    _, proof, _ = agreed(OLD.secret, bytes(32), 7, 2, agreement.public, public)
    with pytest.raises(DisagreementError, match="small order"):
        agreement.accept(public, proof)


class RecordedTable(KeyedTable):
    """Keeps the line as a thief with a tap records it."""

    def __init__(self, *args):
        super().__init__(*args)
        self.line = []

    def receive(self, data):
        out = super().receive(data)
        self.line += [data, out]
        return out


class LossyTable(KeyedTable):
    """Loses one frame of a rotation. lost: its place among commands and answers, in turn."""

    def __init__(self, lost, *args):
        super().__init__(*args)
        self.places = itertools.count()
        self.lost = lost

    def _change_key(self, frame):
        if next(self.places) == self.lost:
            return b""
        out = super()._change_key(frame)
        return b"" if next(self.places) == self.lost else out


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(change, "_AGAIN_S", 0.1)
    monkeypatch.setattr(change, "_COMPUTES_S", 0.1)


@pytest.fixture
def ring(tmp_path):
    ring = Keyring(tmp_path / "keys.json")
    ring.add(7, OLD)
    return ring


def rotate(table, ring, *words):
    with Served(table) as served:
        return run(["keys", *(words or ["rotate"]), served.url, "--keys", str(ring.file)])


@pytest.mark.parametrize("lost", range(4))
def test_one_lost_frame_stops_no_rotation(quick, ring, lost):
    """Offer, answer, confirmation or the record of it: the same command gets through."""
    table = LossyTable(lost, 7, 1, OLD.secret)
    assert rotate(table, ring) == 0
    assert (table.number, ring.keys_of(7)) == (2, {2: table.secret})
    assert table.secret != OLD.secret


class RestartingTable(KeyedTable):
    """The power fails when a command of that type comes, before or after it is obeyed."""

    fails_at = 0
    obeys = False

    def _change_key(self, frame):
        if frame.type != self.fails_at:
            return super()._change_key(frame)
        self.fails_at = 0
        if self.obeys:
            super()._change_key(frame)
        self.restart()
        return b""


@pytest.mark.parametrize("obeys", [False, True])
@pytest.mark.parametrize("ident", [m.OFFER_KEY, m.CONFIRM_KEY])
def test_a_table_that_restarts_on_the_way(quick, ring, ident, obeys):
    """Both always share a key, and the same command finishes it."""
    table = RestartingTable(7, 1, OLD.secret)
    table.fails_at, table.obeys = ident, obeys
    first = rotate(table, ring)
    assert ring.keys_of(7)[table.number] == table.secret
    if first:
        assert rotate(table, ring) == 0
    assert (table.number, ring.keys_of(7)) == (2, {2: table.secret})


def test_a_recording_and_the_old_key_give_the_new_one_to_nobody(quick, ring):
    """Nothing on the line, and nothing computed from it and the old key, is the new key."""
    table = RecordedTable(7, 1, OLD.secret)
    assert rotate(table, ring) == 0
    line = b"".join(table.line)
    assert table.secret not in line
    pieces = {line[start : start + 32] for start in range(len(line) - 31)}
    guesses = {OLD.secret, bytes(32)} | {
        bytes(a ^ b for a, b in zip(OLD.secret, piece, strict=True)) for piece in pieces
    }
    guesses |= {extract(OLD.secret, piece) for piece in pieces}
    guesses |= {extract(piece, OLD.secret) for piece in pieces}
    assert table.secret not in guesses | pieces


def test_constant_random_sources_repeat_no_nonce(monkeypatch):
    """So no recorded answer is fresh, and no two sessions share a key."""
    monkeypatch.setattr(os, "urandom", lambda count: bytes(count))
    nonces = [fresh_nonce() for _ in range(1000)]
    assert len(set(nonces)) == 1000
    assert {len(nonce) for nonce in nonces} == {8}
    ours, theirs = nonces[0], bytes(8)
    tags = {
        Session(OLD.secret, 7, boot, host, device).table.digest(b"")
        for boot, host, device in itertools.product((1, 2), (ours, theirs), (ours, theirs))
    }
    assert len(tags) == 8


def test_a_stolen_key_is_replaced_at_the_table(quick, ring, capsys):
    """With the switch turned, without the old key; with the switch in rest nothing changes."""
    table = KeyedTable(7, 5, bytes(range(100, 132)))
    assert rotate(table, ring, "provision", "--replace") == 1
    assert "switch" in capsys.readouterr().err
    assert table.number == 5
    table.is_held = True
    assert rotate(table, ring, "provision", "--replace") == 0
    assert table.number > 5
    assert ring.keys_of(7) == {table.number: table.secret}
    assert table.secret.hex() not in "".join(capsys.readouterr())


def test_the_highest_number_is_the_last(quick, ring, capsys):
    """The thief of a key can set this: the message has the way out, and nothing is sent."""
    last = 0x7FFFFFFF
    ring.add(7, Key(last, OLD.secret))
    ring.forget(7, 1)
    table = KeyedTable(7, last, OLD.secret)
    table.is_held = True
    for words in (["rotate"], ["provision", "--replace"]):
        assert rotate(table, ring, *words) == 1
        assert "which is the highest" in capsys.readouterr().err
    assert ring.keys_of(7) == {last: OLD.secret}


class SlowToSay(KeyedTable):
    """A table in a session with another host, that is slow to answer who it is."""

    def __init__(self):
        super().__init__(7, OLD.number, OLD.secret)
        self.is_held = True
        self.later = 2
        self.session = Session(OLD.secret, 7, 1, bytes(8), bytes(8))
        self.sender.mac = self.session.table

    def _identity(self, host_nonce, *, answers=True):
        self.later -= answers
        return b"" if self.later > 0 else super()._identity(host_nonce, answers=answers)


def test_a_key_is_replaced_though_sealed_frames_come_first(quick, ring, capsys):
    """The table reports that it has a key, not which: no second success without a new key."""
    table = SlowToSay()
    assert rotate(table, ring, "provision", "--replace") == 0
    assert table.number == 2
    assert 2 in ring.keys_of(7)
