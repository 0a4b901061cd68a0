"""The keyring: private, complete at any moment; its messages reveal no key."""

import json
import os
import stat
import subprocess
import sys

import pytest

from tabletools.cli.main import run
from tabletools.keys import Key, Keyring, KeyringError, default_file, new_key

SECRET = bytes(range(32))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "deep" / "keys.json"


@pytest.fixture
def ring(file):
    return Keyring(file)


def test_a_keyring_is_one_json_file_for_its_owner_alone(ring, file):
    """Mode 0600 under any umask, {device: [{number, key}]}, nothing left beside it but a lock."""
    before = os.umask(0)
    try:
        ring.add(7, Key(1, SECRET))
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"7": [{"number": 1, "key": SECRET.hex()}]}
    assert sorted(path.name for path in file.parent.iterdir()) == ["keys.json", "keys.json.lock"]
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert Keyring(file).keys_of(7) == {1: SECRET}
    assert Keyring(file).keys_of(8) == {}


def test_a_missing_keyring_holds_no_keys(ring):
    """Nothing is made by looking."""
    assert (ring.all(), ring.keys_of(7), ring.file.exists()) == ({}, {}, False)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_keyring_others_can_read_is_refused(ring, file, mode):
    """With the command that puts it right; it is not written to either."""
    ring.add(7, Key(1, SECRET))
    file.chmod(mode)
    for act in (ring.all, lambda: ring.add(8, new_key(1)), lambda: ring.forget(7)):
        with pytest.raises(KeyringError) as caught:
            act()
        assert f"chmod 600 {file}" in caught.value.step
    file.chmod(0o600)
    assert ring.keys_of(7) == {1: SECRET}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"x": []}',
        '{"7": 3}',
        '{"7": [{"number": 0, "key": "KEY"}]}',
        '{"7": [{"number": 1, "key": "00"}]}',
        '{"7": [{"number": "1", "key": "KEY"}]}',
        '{"7": [{"number": 1, "key": "KEY"}, {"number": 1, "key": "KEY"}]}',
        '{"7": [{"key": "KEY"}]}',
    ],
)
def test_a_file_that_is_no_keyring_is_refused_without_showing_it(ring, file, text):
    """The message names the file and nothing of its content."""
    file.parent.mkdir()
    file.write_text(text.replace("KEY", SECRET.hex()))
    file.chmod(0o600)
    with pytest.raises(KeyringError) as caught:
        ring.all()
    assert SECRET.hex()[:8] not in f"{caught.value.what}{caught.value.cause}{caught.value.step}"


def test_two_keys_of_one_number_are_refused(ring):
    """Fingerprints distinguish them; the existing key stays."""
    ring.add(7, Key(1, SECRET))
    ring.add(7, Key(1, SECRET))
    with pytest.raises(KeyringError, match="another key 1"):
        ring.add(7, new_key(1))
    assert ring.keys_of(7) == {1: SECRET}


def test_older_keys_go_once_a_session_stands(ring):
    """The new key and those after it stay."""
    for number in (1, 2, 3):
        ring.add(7, Key(number, bytes([number]) * 32))
    ring.settle(7, 2)
    assert sorted(ring.keys_of(7)) == [2, 3]
    ring.settle(7, 2)
    ring.settle(8, 1)
    assert sorted(ring.keys_of(7)) == [2, 3]
    assert (ring.forget(7, 3), ring.forget(7), ring.forget(7)) == (1, 1, 0)


def test_a_key_prints_as_nothing():
    """Neither repr nor fingerprint gives the key away."""
    key = Key(2, SECRET)
    assert repr(key) == "Key(number=2)"
    assert key.fingerprint not in SECRET.hex()


def test_a_link_to_a_keyring_is_followed(ring, file, tmp_path):
    """The file it points to is replaced, not the link."""
    ring.add(7, Key(1, SECRET))
    link = tmp_path / "link.json"
    link.symlink_to(file)
    Keyring(link).add(8, new_key(1))
    assert link.is_symlink()
    assert sorted(ring.all()) == [7, 8]


def test_many_programs_change_one_keyring(ring, file):
    """None of eight writers loses what another wrote."""
    code = (
        "import sys; from pathlib import Path; from tabletools.keys import *\n"
        "ring, first = Keyring(Path(sys.argv[1])), int(sys.argv[2])\n"
        "for device in range(first, first + 10): ring.add(device, new_key(1))"
    )
    programs = [
        subprocess.Popen([sys.executable, "-c", code, str(file), str(first)])
        for first in (100, 200, 300, 400)
    ]
    assert [program.wait(timeout=60) for program in programs] == [0] * 4
    assert len(ring.all()) == 40


def test_the_default_lies_in_the_users_data_folder(monkeypatch, tmp_path):
    """XDG_DATA_HOME, else the folder of the system."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_file() == tmp_path / "tablewire" / "keys.json"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_file().parts[-2:] == ("tablewire", "keys.json")


def test_keys_on_the_command_line(file, tmp_path, capsys):
    """new, list, export, import, forget: numbers and fingerprints, never a key."""
    ring, other = ["--keys", str(file)], tmp_path / "usb.json"
    assert run(["keys", "new", "7", *ring]) == 0
    assert run(["keys", "new", "7", *ring]) == 1
    assert run(["keys", "export", "7", "--to", str(other), *ring]) == 0
    assert run(["keys", "forget", "7", *ring]) == 1
    assert run(["keys", "forget", "7", "--yes", *ring]) == 0
    assert run(["keys", "forget", "7", "--yes", *ring]) == 1
    assert run(["keys", "import", str(other), *ring]) == 0
    assert run(["keys", "import", str(tmp_path / "none.json"), *ring]) == 1
    assert run(["keys", "list", *ring]) == 0
    output = "".join(capsys.readouterr())
    secret = Keyring(other).keys_of(7)[1]
    assert Keyring(file).keys_of(7) == {1: secret}
    assert f"device 7: key 1, fingerprint {Key(1, secret).fingerprint}" in output
    assert secret.hex() not in output
    assert secret.hex()[:12] not in output
