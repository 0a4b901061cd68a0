"""The hand-written frames of protocol/vectors, both ways, on CPython and on the VM."""

import unittest

from tablespec.names import NAMES
from tablewire import messages as m
from tablewire import sender as wire_sender
from tablewire.framing import Receiver
from tablewire.rotation import agreed
from tablewire.seal import Session, extract
from tablewire.sender import Sender
from tablewire.x25519 import BASE_POINT, finish, multiply

# A controller adds the words of its own role; here all are read.
for role in m.ROLES + ("diagnosis",):
    __import__("tablewire." + role)

VECTORS = __file__.rsplit("/tests/", 1)[0] + "/vectors/"


def unhex(text):
    return bytes([int(text[n : n + 2], 16) for n in range(0, len(text), 2)])


def blocks(name):
    """Every block of a vector file as a dict; comment lines are left out."""
    items = []
    block = {}
    with open(VECTORS + name) as file:
        for line in file.read().split("\n"):
            if line.startswith("#"):
                continue
            if line:
                key, _, rest = line.partition(" ")
                block[key] = rest
            elif block:
                items.append(block)
                block = {}
    return items


def values_of(block):
    words = block["values"].split() if block["values"] else []
    return tuple(unhex(word[1:]) if word[0] == "x" else int(word) for word in words)


def pad(values):
    """The values as a receiver gives them: a name has 16 bytes, a piece of a trace 192."""
    out = list(values)
    lengths = ((8, 16), (3, 192)) + (((0, 16),) if out and out[0] == b"pit-7" else ())
    for place, length in lengths:
        if len(out) > place and isinstance(out[place], bytes):
            out[place] += bytes(length - len(out[place]))
    return tuple(out)


def minor_of(block):
    """The minor version of the wire a frame was written under: 0 where the block has none."""
    return int(block.get("minor", "0"))


def ident_of(name):
    for ident, label in NAMES.items():
        if label == name:
            return ident
    raise ValueError(name)


class Vectors(unittest.TestCase):
    def setUp(self):
        self.minor = wire_sender.MINOR

    def tearDown(self):
        wire_sender.MINOR = self.minor

    def test_every_message_has_a_vector(self):
        named = [block["message"] for block in blocks("frames.txt")]
        for name in NAMES.values():
            self.assertTrue(name in named, name)

    def test_frame_is_read_as_written(self):
        for block in blocks("frames.txt"):
            with self.subTest(block["message"]):
                (frame,) = Receiver(seed=0).feed(unhex(block["frame"]))
                self.assertEqual(frame.type, ident_of(block["message"]))
                self.assertEqual(frame.flags, int(block["flags"]))
                self.assertEqual((frame.device, frame.boot), (4711, 3))
                self.assertEqual(frame.counter, int(block["counter"]))
                self.assertEqual((frame.uptime_ms, frame.round), (65000, 9))
                self.assertEqual((frame.minor, frame.role), (minor_of(block), m.ROLE_ROULETTE))
                self.assertEqual((frame.echo, frame.echo_ms), (305419896, 1234))
                self.assertEqual(frame.values, pad(values_of(block)))
                self.assertEqual(frame.tag, None)

    def test_frame_is_built_as_written(self):
        for block in blocks("frames.txt"):
            with self.subTest(block["message"]):
                wire_sender.MINOR = minor_of(block)
                sender = Sender(4711, 3, seed=0)
                sender.role, sender.round = m.ROLE_ROULETTE, 9
                sender.counter = int(block["counter"]) - 1
                sender.advance(65000 - 1234)
                sender.set_echo(305419896)
                sender.advance(1234)
                ident = ident_of(block["message"])
                built = sender.build(ident, values_of(block), int(block["flags"]))
                self.assertEqual(built, unhex(block["frame"]))

    def test_tag_is_kept_apart(self):
        (block,) = blocks("tagged.txt")
        (frame,) = Receiver(seed=0).feed(unhex(block["frame"]))
        self.assertEqual(frame.tag, unhex(block["tag"]))
        self.assertEqual(frame.values, values_of(block))

    def test_a_session_seals_as_written(self):
        """Both directions: read and built."""
        start, *frames = blocks("session.txt")
        session = Session(
            unhex(start["key"]), 4711, 3, unhex(start["host_nonce"]), unhex(start["device_nonce"])
        )
        nonces = unhex(start["host_nonce"]) + unhex(start["device_nonce"])
        self.assertEqual(extract(nonces, unhex(start["key"])), unhex(start["extracted"]))
        for way in ("table", "host"):
            # A Mac shows no key, so one under the key as written stands beside it.
            self.assertEqual(
                getattr(session, way).digest(b"any"), extract(unhex(start[way]), b"any")
            )
        for block in frames:
            with self.subTest(block["message"]):
                mac = getattr(session, block["way"])
                (frame,) = Receiver(seed=0, verify=mac.verify).feed(unhex(block["frame"]))
                self.assertEqual(frame.tag, unhex(block["tag"]))
                self.assertEqual(frame.values, pad(values_of(block)))
                wire_sender.MINOR = minor_of(block)
                sender = Sender(4711, 3, seed=0)
                sender.role = int(block["role"])
                sender.echo, sender.echo_ms = [int(word) for word in block["echo"].split()]
                sender.round, sender.counter = int(block["round"]), int(block["counter"]) - 1
                sender.mac = mac
                sender.uptime_low = int(block["uptime"])
                flags = int(block["flags"]) - m.FLAG_AUTHENTICATED
                ident = ident_of(block["message"])
                self.assertEqual(sender.build(ident, frame.values, flags), unhex(block["frame"]))

    def test_a_key_is_agreed_on_as_written(self):
        """From the key of the session above; X25519 on both sides of it."""
        (block,) = blocks("rotation.txt")
        part = {name: unhex(value) for name, value in block.items()}
        for own, other in (("host", "table"), ("table", "host")):
            secret, public = part[own + "_secret"], part[other + "_public"]
            self.assertEqual(finish(multiply(secret, BASE_POINT)), part[own + "_public"])
            self.assertEqual(finish(multiply(secret, public)), part["shared"])
        key = unhex(blocks("session.txt")[0]["key"])
        self.assertEqual(extract(key, part["shared"]), part["extracted"])
        self.assertEqual(
            agreed(key, part["shared"], 4711, 2, part["host_public"], part["table_public"]),
            (part["next_key"], part["table_proof"], part["host_proof"]),
        )

    def test_bad_frame_is_skipped_and_the_next_believed(self):
        good = unhex(blocks("frames.txt")[0]["frame"])
        for block in blocks("bad.txt"):
            with self.subTest(block["reason"]):
                stream = unhex(block["frame"])
                skip, frame = Receiver(seed=0).feed(stream + good)
                self.assertEqual(skip.reason, block["reason"])
                self.assertEqual((skip.offset, skip.length), (0, len(stream)))
                self.assertEqual((frame.offset, frame.length), (len(stream), len(good)))

    def test_any_cut_gives_the_same(self):
        stream = b"".join([unhex(block["frame"]) for block in blocks("bad.txt")])
        stream += b"".join([unhex(block["frame"]) for block in blocks("frames.txt")])
        whole = receive(Receiver(seed=0), [stream])
        for size in (1, 2, 7, 100, 255, 256, 257):
            pieces = [stream[n : n + size] for n in range(0, len(stream), size)]
            self.assertEqual(receive(Receiver(seed=0), pieces), whole)


def receive(receiver, pieces):
    out = []
    for piece in pieces:
        for item in receiver.feed(piece):
            out.append((item.offset, item.length, getattr(item, "reason", None)))
    return out


if __name__ == "__main__":
    unittest.main()
