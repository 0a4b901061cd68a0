"""HMAC-SHA256 and the session keys, on CPython and on the VM."""

import unittest
from binascii import unhexlify as unhex

from tablewire import messages as m
from tablewire.compat import same_bytes
from tablewire.framing import Receiver
from tablewire.seal import Mac, Session, expand, extract
from tablewire.sender import Sender

# RFC 4231, section 4, test cases 1 to 7: key, data, HMAC-SHA-256 (case 5: its first 16 bytes).
RFC_4231 = (
    (
        "0b" * 20,
        b"Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ),
    (
        "4a656665",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    (
        "aa" * 20,
        b"\xdd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ),
    (
        "0102030405060708090a0b0c0d0e0f10111213141516171819",
        b"\xcd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ),
    ("0c" * 20, b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
    (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        "aa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data."
        b" The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
)
KEY = bytes(range(32))
HOST_NONCE, DEVICE_NONCE = b"\x01\x02\x03\x04\x05\x06\x07\x08", b"\x11\x12\x13\x14\x15\x16\x17\x18"


def tag(mac, ident=m.STATE, values=(3, 2)):
    sender = Sender(4711, 3)
    sender.mac = mac
    return sender.build(ident, values, 0)


class Hmac(unittest.TestCase):
    def test_rfc_4231(self):
        """All seven cases, twice each: a digest changes nothing for the next."""
        for key, data, expected in RFC_4231:
            mac = Mac(unhex(key))
            for _ in range(2):
                self.assertEqual(mac.digest(data)[: len(expected) // 2], unhex(expected))

    def test_a_view_serves_as_data(self):
        """The sender hashes a part of its buffer without a copy."""
        key, data, expected = RFC_4231[1]
        view = memoryview(bytearray(b"x" + data + b"x"))[1:-1]
        self.assertEqual(Mac(unhex(key)).digest(view), unhex(expected))

    def test_comparison(self):
        """Equal in length and in every byte."""
        one = bytes(range(16))
        self.assertTrue(same_bytes(one, bytes(range(16))))
        for place in range(16):
            for bit in (1, 128):
                other = bytearray(one)
                other[place] ^= bit
                self.assertFalse(same_bytes(one, bytes(other)))
        for other in (b"", one[:-1], one + b"\0"):
            self.assertFalse(same_bytes(one, other))


# RFC 5869, appendix A.1 to A.3 (SHA-256): secret, salt, info, what is extracted, what is expanded.
RFC_5869 = (
    (
        "0b" * 22,
        "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    (
        "".join(["%02x" % byte for byte in range(0x50)]),
        "".join(["%02x" % byte for byte in range(0x60, 0xB0)]),
        "".join(["%02x" % byte for byte in range(0xB0, 0x100)]),
        "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        "cc30c58179ec3e87c14c01d5c1f3434f1d87",
    ),
    (
        "0b" * 22,
        "",
        "",
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
)


class Hkdf(unittest.TestCase):
    def test_rfc_5869(self):
        for secret, salt, info, extracted, expanded in RFC_5869:
            prk = extract(unhex(salt), unhex(secret))
            self.assertEqual(prk, unhex(extracted))
            length = len(expanded) // 2
            self.assertEqual(expand(prk, unhex(info), length), unhex(expanded))


class Sessions(unittest.TestCase):
    def session(self, key=KEY, device=4711, boot=3, host=HOST_NONCE, own=DEVICE_NONCE):
        return Session(key, device, boot, host, own)

    def verify(self, mac):
        return Receiver(verify=mac.verify)

    def test_a_tagged_frame_is_believed(self):
        session = self.session()
        (frame,) = self.verify(session.table).feed(tag(session.table))
        self.assertEqual((frame.flags, frame.values), (m.FLAG_AUTHENTICATED, (3, 2)))

    def test_every_part_is_bound(self):
        """Another key, device, boot, nonce or direction gives another tag."""
        others = (
            self.session(key=KEY[:-1] + b"\0").table,
            self.session(device=4712).table,
            self.session(boot=4).table,
            self.session(host=DEVICE_NONCE).table,
            self.session(own=HOST_NONCE).table,
            self.session(host=DEVICE_NONCE, own=HOST_NONCE).table,
            self.session().host,
            Mac(KEY),
        )
        for mac in others:
            (skip,) = self.verify(self.session().table).feed(tag(mac))
            self.assertEqual(skip.reason, "tag")
            self.assertEqual((skip.frame.type, skip.frame.counter), (m.STATE, 1))

    def test_the_tag_is_checked_before_the_ranges(self):
        """A forger does not learn which values pass."""
        body = bytearray(tag(None))
        self.assertEqual(len(body), 39)
        sender = Sender(4711, 3)
        length = sender.pack(m.STATE, (3, 2))
        sender.buf[length] = 99  # phase entered before 99
        sender.mac = Mac(bytes(32))
        frame = bytes(sender.buf[: sender.close(length)])
        (skip,) = self.verify(self.session().table).feed(frame)
        self.assertEqual(skip.reason, "tag")
        (skip,) = self.verify(Mac(bytes(32))).feed(frame)
        self.assertEqual(skip.reason, "range")

    def test_a_frame_without_a_tag(self):
        (skip,) = self.verify(self.session().table).feed(tag(None))
        self.assertEqual(skip.reason, "unauthenticated")


if __name__ == "__main__":
    unittest.main()
