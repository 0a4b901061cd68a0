"""The file of the host's network is the one that the record beside its training names."""

import hashlib

from hil_tests.dice_training.maps.digests import DIGESTS
from tabletools.dice.maps import FILE


def test_the_file_is_the_one_that_was_trained():
    """Byte by byte: what was measured is what reads."""
    assert {FILE.name: hashlib.sha256(FILE.read_bytes()).hexdigest()} == DIGESTS


def test_the_file_is_small():
    """Below one megabyte."""
    assert FILE.stat().st_size < 1_000_000
