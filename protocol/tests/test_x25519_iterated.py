"""A thousand multiplications, each by what the one before gave: seconds on the VM."""

import unittest
from binascii import unhexlify as unhex

from tablewire.x25519 import BASE_POINT, finish, multiply

# RFC 7748, section 5.2.
AFTER_1000 = "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"


class Iterated(unittest.TestCase):
    def test_rfc_7748(self):
        """What came out is the scalar of the next, the scalar before its point."""
        scalar = point = BASE_POINT
        for _ in range(1000):
            scalar, point = finish(multiply(scalar, point)), scalar
        self.assertEqual(scalar, unhex(AFTER_1000))


if __name__ == "__main__":
    unittest.main()
