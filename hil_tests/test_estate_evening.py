"""The evening of an estate, short: two pits; `make soak` plays a long one."""

import pytest

from host_tools.tests import nats_server
from host_tools.tests.left_out import leave_out

if nats_server.binary() is None:
    leave_out("nats-server", "the evening of an estate", nats_server.HOW)
    pytest.skip("no nats-server here", allow_module_level=True)

from hil_tests import estate_hosts
from hil_tests.estate_evening import evening
from hil_tests.thinned import soak_only
from host_tools.tests import postgresql


def test_every_part_is_killed_once_and_nothing_is_lost(tmp_path):
    """A site is cut off for ten minutes; the centre comes to what the ledgers came to."""
    outcome = evening(tmp_path, pits=1, rounds=6)
    assert outcome.events > 30
    assert outcome[1:5] == (0, 0, 0, [])


@soak_only
def test_every_host_is_killed_while_players_bet(tmp_path, monkeypatch):
    """Whole hosts: every bet that was answered is in its ledger once, and the centre has it."""
    if postgresql.binaries() is None:
        leave_out("PostgreSQL", "the evening of whole hosts", postgresql.HOW)
        pytest.skip("no PostgreSQL here")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    plan = estate_hosts.Plan(tables=2, bet_s=2, cut_s=30, step_s=2)
    evening_of_hosts = estate_hosts.evening(tmp_path, plan)
    assert evening_of_hosts.bets > 50
    assert evening_of_hosts.estate.is_whole
