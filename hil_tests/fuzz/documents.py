"""Targets of files that a person or another host wrote: settings, keyrings, manifests, archives,
numbers of a trial, and the rules of alarms that a user sends.

Each reader takes the text or refuses it with a ToolError or its kin; anything else is a crash.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pyarrow import parquet
from pydantic import ValidationError

from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import mutate
from tablespec.config_keys import KEYS
from tabletools import configuration
from tabletools.api.shapes import NewRule
from tabletools.archive import checking
from tabletools.archive.writing import FORMAT, MANIFEST, SIGNATURE
from tabletools.cli import user_settings, verified_file
from tabletools.errors import ToolError
from tabletools.evidence import alarm_rules
from tabletools.evidence.alarm_rules import MEASURES, Rule
from tabletools.keys import Keyring, KeyringError
from tabletools.pit import settings_file
from tabletools.release import ReleaseError
from tabletools.release import read as read_manifest
from tabletools.store import Actor, LedgerRejection, Store, people
from tabletools.trial.readings import readings_of

_REFUSALS = (ToolError, KeyringError, ReleaseError)
_SIGNER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
# What a person who edits a file by hand writes wrongly.
_PIECES = (
    b"=", b"[", b"]", b"[[table]]\n", b'"', b"'''", b"\n", b"\0", b"-1", b"1e400", b"9" * 40,
    b"true", b"{}", b"[[]]", b"nan", b"1979-05-27T07:32:00Z", b"\xff\xfe", b"\xef\xbb\xbf",
    b"null", b'""', b"port", b"name = 7\n", "١٧".encode(), b"\\u0000", b"#",
)  # fmt: skip


@cache
def _folder() -> TemporaryDirectory[str]:
    """A folder of this process, not of the one that it was forked from."""
    return TemporaryDirectory()


def _read(reader: Callable[[Path], object], data: bytes) -> None:
    file = Path(_folder().name) / "input"
    file.unlink(missing_ok=True)
    file.touch(0o600)
    file.write_bytes(data)
    with suppress(*_REFUSALS):
        reader(file)


def _user(file: Path) -> object:
    before = os.environ.get(user_settings.VARIABLE)
    os.environ[user_settings.VARIABLE] = str(file)
    try:
        return user_settings.user_settings()
    finally:
        os.environ.pop(user_settings.VARIABLE)
        if before is not None:
            os.environ[user_settings.VARIABLE] = before


def check_settings(data: bytes) -> None:
    """Of a user, of a host, of its tables, of one table."""
    _read(_user, data)
    _read(settings_file.read, data)
    _read(lambda file: settings_file.read(file, tables_only=True), data)
    _read(configuration.read, data)


def check_documents(data: bytes) -> None:
    """A keyring, a manifest, a verified state, the numbers of a trial."""
    _read(lambda file: Keyring(file).all(), data)
    _read(lambda file: read_manifest(file, _SIGNER.public_key()), data)
    _read(lambda file: verified_file.read(file, file.with_name("key")), data)
    with suppress(UnicodeDecodeError):
        text = data.decode()
        _read(lambda file: readings_of(text, str(file)), data)


def check_archive(data: bytes) -> None:
    """A manifest, or after it the file of a table: signed by one who means harm, and checked."""
    folder = Path(_folder().name) / "archive"
    folder.mkdir(exist_ok=True)
    manifest, _, table = data.partition(b"\n\n")
    if table:
        digest = hashlib.sha256(table).hexdigest().encode()
        manifest = manifest.replace(_digest(), digest)
    (folder / "bets.parquet").write_bytes(table)
    (folder / MANIFEST).write_bytes(manifest)
    (folder / SIGNATURE).write_bytes(_SIGNER.sign(manifest).hex().encode())
    with suppress(ToolError):
        archive = checking.opened(folder, _SIGNER.public_key())
        assert all(isinstance(problem, str) for problem in checking.problems(archive))


@cache
def _ledger() -> tuple[Store, Actor]:
    store = Store.open("sqlite://")
    user = people.create_user(store, "Sue", "supervisor", None, Actor("fuzz"))
    return store, Actor("Sue", user)


def check_rules(data: bytes) -> None:
    """A rule as HTTP takes it: refused by its shape or by what it says, or stored."""
    try:
        body = NewRule.model_validate_json(data)
    except ValidationError:
        return
    store, who = _ledger()
    try:
        number = alarm_rules.add(store, Rule(**body.model_dump()), who)
    except LedgerRejection:
        return
    alarm_rules.end(store, number, who)


def settings() -> list[bytes]:
    """A file of each kind that is accepted."""
    table = 'name = "R1"\nport = "/dev/a"\ndevice = 7\ngame = "roulette"\nrules = "hc2023"\n'
    table += 'variant = "french"\nlimits = { minimum = 500 }\n'
    own = configuration.dump([0, *(key.default for key in KEYS)], "table 7")
    return [
        b'port = "/dev/ttyUSB0"\nkeys = "~/keys.json"\nledger = "pit.ledger"\n',
        f'host = "127.0.0.1"\nlease_s = 10\n[[table]]\n{table}'.encode(),
        f"[[table]]\n{table}".encode(),
        own.encode(),
    ]


def documents() -> list[bytes]:
    """A file of each kind."""
    key = {"number": 1, "secret": bytes(range(32)).hex()}
    file = {"path": "/main.py", "size": 3, "sha256": "00" * 32}
    manifest = {"release": 1, "version": "1.0.0", "source": "00" * 32, "files": [file]}
    contents = {"verified": {"seq": 3, "contents": {}, "covers": []}, "mac": "00" * 32}
    return [
        json.dumps({"7": [key]}).encode(),
        json.dumps({"manifest": manifest, "signature": "00" * 64}).encode(),
        json.dumps(contents).encode(),
        b"# shift 1\n17\n\n00\n-\n",
        b"2026-11-29T20:15:02+01:00,17\n",
    ]


def _parquet() -> bytes:
    table = pyarrow.table({"id": [1, 2], "stake_cents": [500, 700], "round_id": [1, None]})
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table, buffer)
    return bytes(buffer.getvalue())


@cache
def _digest() -> bytes:
    return hashlib.sha256(_parquet()).hexdigest().encode()


def archives() -> list[bytes]:
    """A manifest that names one table, alone and with its file."""
    facts: dict[str, Any] = {
        "is": FORMAT,
        "ledger": "00" * 32,
        "month": "2027-01",
        "first": 1,
        "last": 2,
        "before": "",
        "after": "00" * 32,
        "public_key": _SIGNER.public_key().public_bytes_raw().hex(),
        "left_out": ["users"],
        "changed_later": {},
        "files": {"bets": {"rows": 2, "keys": 1, "sha256": _digest().decode()}},
    }
    manifest = json.dumps(facts).encode()
    return [manifest, manifest + b"\n\n" + _parquet()]


def rules() -> list[bytes]:
    """A rule of every measure."""
    return [
        json.dumps({"measure": name, "low": one.low, "high": one.high, "hours": 24}).encode()
        for name, one in MEASURES.items()
    ]


def edit(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """A piece that a person or a program could have put there, or any bytes."""
    if rng.random() < 0.4:
        return mutate(rng, data, other)
    place, size = rng.randrange(len(data) + 1), rng.choice((0, 0, 1, 3, 8))
    return data[:place] + rng.choice(_PIECES) + data[place + size :]


TARGETS = (
    Target(
        "settings", check_settings, settings, edit,
        (
            "host_tools/tabletools/cli/user_settings.py",
            "host_tools/tabletools/pit/settings_file.py",
            "host_tools/tabletools/configuration/toml_file.py",
        ),
    ),
    Target(
        "documents", check_documents, documents, edit,
        (
            "host_tools/tabletools/keys/keyring.py",
            "host_tools/tabletools/release/release_manifest.py",
            "host_tools/tabletools/cli/verified_file.py",
            "host_tools/tabletools/trial/readings.py",
        ),
    ),
    Target(
        "archive", check_archive, archives, edit,
        ("host_tools/tabletools/archive/checking.py",),
    ),
    Target(
        "rules", check_rules, rules, edit,
        ("host_tools/tabletools/evidence/alarm_rules.py",),
    ),
)  # fmt: skip
