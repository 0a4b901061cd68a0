"""What a release contains never changes: devices, hosts and ledgers of the field depend on it.

A later wire is another minor version (`python -m tablespec.check_break --freeze`), a later schema
another migration, and each writes files of its own, which are added here when they are released.
"""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MIGRATIONS = "host_tools/tabletools/store/migrations/versions"
RELEASED = {
    "protocol/released/schema-1.0.json": "13014de35c4b3b018b73188a46ee64006dfa04591a138d091038cf4c7a1b50c5",
    f"{MIGRATIONS}/v0001_first.py": "6db2b1976479ac96b77a61552bd51ca1b07013d94b4df407accaa393e7aec903",
    f"{MIGRATIONS}/v0001_postgresql.sql": "a30d6433f5b374e72db10c850c31bc9cf221210c31f06e220052a09fee8fa453",
    f"{MIGRATIONS}/v0001_sqlite.sql": "aad8338072d162fb2f333ecab74121ba5c0aab6f6b58e6619baa2a73cd1b1a80",
    "host_tools/tests/ledgers/1.0.sql": "abda902044b85281a069773319cfda0f7af34b34525a99fb717bfd0f01fdfef9",
}


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_file_is_as_it_was_released(name):
    """Restore it, and put the change into a file of the next version."""
    assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == RELEASED[name]


def test_every_released_file_is_guarded():
    """None is left out: schemas, migrations, ledgers."""
    found = [
        *ROOT.glob("protocol/released/*.json"),
        *ROOT.glob(f"{MIGRATIONS}/v*"),
        *ROOT.glob("host_tools/tests/ledgers/*.sql"),
    ]
    assert sorted(str(path.relative_to(ROOT)) for path in found) == sorted(RELEASED)
