"""Where a table is: which of the hosts of a database owns it, and how that one is reached."""

import pytest

from host_tools.tests.served import Host, french, until
from host_tools.tests.test_api_auth import SEC, Watch
from tabletools import evidence
from tabletools.errors import ToolError
from tabletools.evidence.tables import let_go
from tabletools.pit.host_addresses import addresses_of
from tabletools.pit.pit import holder, host_of
from tabletools.pit.settings import Settings

HOSTS = ("pit-a=https://a.example:8443", "pit-b = https://b.example")


def test_a_run_of_a_host_is_named_by_the_host():
    assert host_of(holder("pit a 1")) == "pit a 1"
    assert host_of(f"{holder('pit-a')} 0123abcd") == "pit-a"
    assert host_of("some machine") == "some machine"


def test_a_table_is_at_the_host_that_owns_it(tmp_path):
    """None at first; then host B, seen from here; after the end of its lease none again."""
    watch = Watch()
    table = french("Roulette 1", str(tmp_path / "tty"))
    place = {"site": "athens", "pit": "salon", "hosts": HOSTS}
    with Host(str(tmp_path / "ledger"), [table], clock=watch, **place) as host:
        host.user("Sue", "supervisor")
        sue = host.login("Sue")

        def where():
            return sue.get("/v1/where/Roulette 1").json()

        until(lambda: where()["is_here"])
        here = where()
        assert (here["site"], here["pit"], here["table"]) == ("athens", "salon", 1)
        assert (here["host"], here["address"]) == (host_of(host.pit.context.holder), None)
        host.pit.stop()
        until(lambda: where()["host"] is None)
        lease = evidence.claim(host.ledger, 1, f"{holder('pit-b')} 0123abcd", seconds=10)
        there = where()
        assert (there["host"], there["address"]) == ("pit-b", "https://b.example")
        assert there["is_here"] is False
        assert there["owned_until_at"].startswith("2027-01-15T08:00:10")
        watch.now_ns += 11 * SEC
        gone = where()
        assert (gone["host"], gone["address"], gone["owned_until_at"]) == (None, None, None)
        watch.now_ns -= 11 * SEC
        let_go(host.ledger, lease)
        missing = sue.get("/v1/where/Roulette 2")
        assert (missing.status_code, missing.json()["code"]) == (404, "no_such_table")


@pytest.mark.parametrize(
    "hosts", [("pit-a",), ("pit-a=a.example",), ("=https://a",), ("a=https://a", "a=https://b")]
)
def test_addresses_that_cannot_be_are_refused(hosts):
    with pytest.raises(ToolError, match="is not NAME=https://ADDRESS"):
        addresses_of(Settings(hosts=hosts))
    assert addresses_of(Settings(hosts=HOSTS))["pit-b"] == "https://b.example"
