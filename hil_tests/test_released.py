"""What a release contains never changes: devices, hosts and ledgers of the field depend on it.

A later wire is another minor version (`python -m tablespec.check_break --freeze`), a later schema
another revision, and each writes files of its own, which are added here when they are released.
"""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MIGRATIONS = "host_tools/tabletools/store/migrations/versions"
# The first half of the SHA-256 of each.
RELEASED = {
    "protocol/released/schema-1.0.json": "13014de35c4b3b018b73188a46ee6400",
    f"{MIGRATIONS}/v0001_first.py": "db3d95840ca92ca9f7d9bb7114328efe",
    f"{MIGRATIONS}/v0002_pins.py": "648b27ffa75f13d0339d6d99bc35d6ff",
    f"{MIGRATIONS}/v0003_dealer_entries.py": "c0f8feaa2baffefd840a388cdb23ea17",
    f"{MIGRATIONS}/v0004_corrections.py": "0fb70e592086c499907c98d5e544bdbe",
    f"{MIGRATIONS}/v0005_signatures.py": "ba81c091d34c13316cfda654546b07d8",
    f"{MIGRATIONS}/v0006_play_ends.py": "8baa321ba4b71f089ecacaf3f814456a",
    f"{MIGRATIONS}/v0007_removals.py": "1dde80a1fd6767cc466bb7901a79c7dd",
    f"{MIGRATIONS}/v0008_alarm_states.py": "7c02948027ef6c561fb3ced525d3a469",
    f"{MIGRATIONS}/v0009_dealer_shifts.py": "0b2ed37aa32d8a56b42205dd8ecc10a7",
    f"{MIGRATIONS}/v0010_alarm_rules.py": "57371e833f45888fd0411ce75be2c80f",
    f"{MIGRATIONS}/v0011_day_closes.py": "a49e55f3693b546c296c1e483e2f8fc2",
    f"{MIGRATIONS}/v0012_throwers.py": "6fe75a5b5459f5ebc48a0f017803c2e6",
    f"{MIGRATIONS}/v0013_wallets.py": "8c9a67859ef16ac1a798aa910615748e",
    f"{MIGRATIONS}/v0014_subjects.py": "3c8a9ad74be649abb2246712a0235cd5",
    f"{MIGRATIONS}/v0015_tray_versions.py": "70d2e0ade2fe1f6d87189c8ae0c4638b",
    f"{MIGRATIONS}/v0016_cash_index.py": "d453fd4f05b4f3c9a05ef18803271670",
    "host_tools/tests/ledgers/1.0.db": "af1bb84315bddef27bf7e2583d67ba01",
}


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_file_is_as_it_was_released(name):
    """Restore it, and put the change into a file of the next version."""
    assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest()[:32] == RELEASED[name]


def test_every_released_file_is_guarded():
    """None is left out: schemas, revisions, ledgers."""
    files = [
        *ROOT.glob("protocol/released/*.json"),
        *ROOT.glob(f"{MIGRATIONS}/v*"),
        *ROOT.glob("host_tools/tests/ledgers/*.db"),
    ]
    assert sorted(str(path.relative_to(ROOT)) for path in files) == sorted(RELEASED)
