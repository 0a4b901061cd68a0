"""X25519 and the agreement on a key, on CPython and on the VM."""

import unittest
from binascii import unhexlify as unhex

from tablewire.rotation import agreed
from tablewire.x25519 import BASE_POINT, SmallOrderError, finish, multiply

# RFC 7748, section 5.2: scalar, point, product.
RFC_7748 = (
    (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ),
    (
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ),
)
# The same section: after one iteration; after 1,000: test_x25519_iterated.py.
ITERATED = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
# Section 6.1: private and public key of each, and what they share.
ALICE = (
    "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
    "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
)
BOB = (
    "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
    "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
)
SHARED = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
# D. J. Bernstein's list of points whose product is zero (cr.yp.to/ecdh.html, "validate"); p is
# 2^255 - 19, in the order of its bytes. The last are 0 and 1 with the bit set that is not read.
SMALL_ORDER = (
    "00" * 32,
    "01" + "00" * 31,
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ec" + "ff" * 30 + "7f",
    "ed" + "ff" * 30 + "7f",
    "ee" + "ff" * 30 + "7f",
    "00" * 31 + "80",
    "01" + "00" * 30 + "80",
)
KEY = bytes(range(32))


def x25519(scalar, point):
    return finish(multiply(scalar, point))


class X25519(unittest.TestCase):
    def test_products(self):
        for scalar, point, product in RFC_7748:
            self.assertEqual(x25519(unhex(scalar), unhex(point)), unhex(product))

    def test_iterated_once(self):
        self.assertEqual(x25519(BASE_POINT, BASE_POINT), unhex(ITERATED))

    def test_diffie_hellman(self):
        for own, other in ((ALICE, BOB), (BOB, ALICE)):
            self.assertEqual(x25519(unhex(own[0]), BASE_POINT), unhex(own[1]))
            self.assertEqual(x25519(unhex(own[0]), unhex(other[1])), unhex(SHARED))

    def test_points_of_small_order_are_refused(self):
        for point in SMALL_ORDER:
            with self.assertRaises(SmallOrderError):
                x25519(unhex(ALICE[0]), unhex(point))

    def test_a_multiplication_is_made_of_many_steps(self):
        """128 of the ladder, 27 of the inverse: 3.7 and 2 ms on an RP2040 (SECURITY.md)."""
        self.assertEqual(sum([1 for _ in multiply(unhex(ALICE[0]), BASE_POINT)]), 155)


class Agreement(unittest.TestCase):
    def test_every_part_is_bound(self):
        """Another key, secret, device, number or public key gives another key and other proofs."""
        one, other, third = unhex(SHARED), unhex(ALICE[1]), unhex(BOB[1])
        secrets = [
            agreed(*parts)
            for parts in (
                (KEY, one, 4711, 2, other, third),
                (KEY[:-1] + b"\0", one, 4711, 2, other, third),
                (KEY, KEY, 4711, 2, other, third),
                (KEY, one, 4712, 2, other, third),
                (KEY, one, 4711, 3, other, third),
                (KEY, one, 4711, 2, third, other),
            )
        ]
        self.assertEqual([len(part) for part in secrets[0]], [32, 16, 16])
        parts = [part[:16] for three in secrets for part in three]
        self.assertEqual(len(set(parts)), 18)


if __name__ == "__main__":
    unittest.main()
