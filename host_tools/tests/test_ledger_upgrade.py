"""What a later release does with the schema: it upgrades old ledgers and creates new ones."""

import json
import subprocess
import sys

import pytest

from hil_tests.thinned import thinned
from host_tools.tests.conftest import DATABASES
from host_tools.tests.test_ledger_released import play


@pytest.mark.parametrize("database", thinned(DATABASES, 2))
def test_a_ledger_upgraded_and_a_new_one_are_the_same(database, request, tmp_path):
    """A table, columns, an index, a wider condition: the revision adds what is declared."""
    places = [str(tmp_path / name) for name in ("old", "new")]
    if database == "postgresql":
        cluster = request.getfixturevalue("cluster")
        places = [cluster.url(cluster.new_database()) for _ in places]
    play(places[0])
    words = ["-m", "host_tools.tests.next_release", str(tmp_path / "revisions"), *places]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    old, new = json.loads(done.stdout)
    assert old["shape"] == new["shape"]
    assert "tips" in old["shape"]
    for each in (old, new):
        assert (each["revision"], each["wrong"]) == ("9999", [])
        status, printed = each["verified"]
        assert status == 0, printed
