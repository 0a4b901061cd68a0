"""The evening of an estate, short: two pits; `make soak` plays a long one."""

import pytest

from host_tools.tests import nats_server
from host_tools.tests.left_out import leave_out

if nats_server.binary() is None:
    leave_out("nats-server", "the evening of an estate", nats_server.HOW)
    pytest.skip("no nats-server here", allow_module_level=True)

from hil_tests.estate_evening import evening


def test_every_part_is_killed_once_and_nothing_is_lost(tmp_path):
    """A site is cut off for ten minutes; the centre comes to what the ledgers came to."""
    outcome = evening(tmp_path, pits=1, rounds=6)
    assert outcome.events > 30
    assert outcome[1:5] == (0, 0, 0, [])
