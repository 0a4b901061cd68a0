"""The files of the host's networks are those that the record beside their training names."""

import hashlib

from hil_tests.dice_training.maps.made import DIGESTS
from tabletools.dice.maps import FILES


def test_the_files_are_those_that_were_trained():
    """Byte by byte: what was measured is what reads."""
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FILES}
    assert found == DIGESTS


def test_the_files_are_small():
    """Below one megabyte together."""
    assert sum(path.stat().st_size for path in FILES) < 1_000_000
