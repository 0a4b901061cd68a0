"""The key that signs the checkpoints of a host is made at its first start, once and whole."""

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from tabletools import release
from tabletools.cli.main import run
from tabletools.errors import ToolError
from tabletools.pit.checkpoints import signing_key
from tabletools.pit.settings import Settings

HOSTS = 8
PIT = SimpleNamespace(place="postgresql://pit@db.house/pit")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The data folder of a user who never ran the program: it does not exist."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "tablewire"


def named(folder, ending):
    return folder / f"db.house-pit.checkpoint.{ending}"


def test_the_first_host_of_a_user_makes_the_folder_too(data):
    """A ledger on PostgreSQL has its files there. Nobody else may look into it."""
    key = signing_key(Settings(), PIT)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE(named(data, "key").stat().st_mode) == 0o600
    assert release.read_public(named(data, "pub")) == key.public_key()
    assert sorted(os.listdir(data)) == [
        "db.house-pit.checkpoint.key",
        "db.house-pit.checkpoint.pub",
    ]


def test_hosts_that_start_at_once_sign_with_one_key(data):
    """Two hosts of a machine begin in the same moment: one makes the key, all use it."""
    together = threading.Barrier(HOSTS)

    def start():
        together.wait()
        return signing_key(Settings(), PIT).private_bytes_raw()

    with ThreadPoolExecutor(HOSTS) as hosts:
        keys = {host.result() for host in [hosts.submit(start) for _ in range(HOSTS)]}
    assert len(keys) == 1


def test_a_medium_without_links_has_the_key_too(data, monkeypatch):
    """A memory stick knows no hard links (EPERM of link(2)); nothing is replaced there either."""
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(PermissionError("no links")))
    key = signing_key(Settings(), PIT)
    assert signing_key(Settings(), PIT).private_bytes_raw() == key.private_bytes_raw()
    assert len(os.listdir(data)) == 2
    before = named(data, "key").read_bytes()
    with pytest.raises(release.ReleaseError, match="already exists"):
        release.make_keys(named(data, "key"))
    assert named(data, "key").read_bytes() == before


def test_a_power_cut_between_the_two_files_costs_no_start(data):
    """The public key follows from the private one."""
    key = signing_key(Settings(), PIT)
    named(data, "pub").unlink()
    assert signing_key(Settings(), PIT).private_bytes_raw() == key.private_bytes_raw()
    assert release.read_public(named(data, "pub")) == key.public_key()


def test_a_public_key_without_its_private_one_is_not_replaced(data):
    """Checkpoints that it verifies would be nobody's."""
    signing_key(Settings(), PIT)
    named(data, "key").unlink()
    before = named(data, "pub").read_bytes()
    with pytest.raises(ToolError, match=r"checkpoint\.pub already exists"):
        signing_key(Settings(), PIT)
    assert named(data, "pub").read_bytes() == before
    assert not named(data, "key").exists()


def test_a_host_that_cannot_make_it_never_serves(tmp_path, capsys, monkeypatch):
    """Nothing was claimed, no address said."""
    tables = tmp_path / "tables.toml"
    tables.write_text("", encoding="utf-8")
    place = tmp_path / "pit.ledger"
    (tmp_path / "pit.ledger.checkpoint.pub").write_text("of another key")
    assert run(["serve", "--tables", str(tables), "--db", str(place)]) == 1
    said = capsys.readouterr()
    assert "serving" not in said.out
    assert "cannot make the key of checkpoints" in said.err
