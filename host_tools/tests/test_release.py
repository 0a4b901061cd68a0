"""Releases: made, signed, verified; and every kind of wrong one refused by name."""

import hashlib
import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.cli.main import run
from tabletools.release import Manifest, differences, digest, files_of, find

ROOT = Path(__file__).resolve().parents[2]
NONCE = bytes(16)


@pytest.fixture
def release_folder(tmp_path, monkeypatch):
    """A folder with house.key, house.pub, a signed em.json and its image."""
    monkeypatch.chdir(tmp_path)
    package, board = ROOT / "mip.json", ROOT / "boards" / "emulated" / "board.py"
    assert run(["release", "keygen", "house"]) == 0
    words = ["release", "make", str(package), "--board", str(board)]
    assert run([*words, "--image", "img", "--out", "em.json"]) == 0
    assert run(["release", "sign", "em.json", "--key", "house.key"]) == 0
    return tmp_path


def verify(*more):
    return run(["release", "verify", "em.json", "--key", "house.pub", *more])


def test_a_release_verifies(release_folder, capsys):
    """Signature and every file; the private key is for its owner alone."""
    assert verify("--image", "img") == 0
    assert "signature good" in capsys.readouterr().out
    assert stat.S_IMODE((release_folder / "house.key").stat().st_mode) == 0o600
    listed = json.loads((release_folder / "em.json").read_text())["manifest"]["files"]
    board = (ROOT / "boards" / "emulated" / "board.py").read_bytes()
    entry = {"path": "/board.py", "size": len(board), "sha256": hashlib.sha256(board).hexdigest()}
    assert entry in listed


def test_each_difference_is_named(release_folder, capsys):
    """Missing, changed, added."""
    (release_folder / "img" / "boot.py").unlink()
    (release_folder / "img" / "main.py").write_bytes(b"x")
    (release_folder / "img" / "new.py").write_bytes(b"y")
    assert verify("--image", "img") == 1
    error = capsys.readouterr().err
    assert "/boot.py: missing" in error
    assert "/main.py: changed, 1 bytes" in error
    assert "/new.py: not in the release" in error


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda document: document["manifest"].update(release=2), "not signed by this key"),
        (lambda document: document["manifest"]["files"].pop(), "not signed by this key"),
        (lambda document: document.update(signature=""), "is not signed"),
        (lambda document: document["manifest"].update(more=1), "exactly the fields"),
        (lambda document: document["manifest"].update(release="1"), "release must be int"),
        (lambda document: document["manifest"]["files"].reverse(), "not sorted by path"),
    ],
)
def test_a_changed_manifest_is_refused(release_folder, capsys, change, what):
    """Another number, a file less, no signature, another shape."""
    document = json.loads((release_folder / "em.json").read_text())
    change(document)
    (release_folder / "em.json").write_text(json.dumps(document))
    assert verify() == 1
    assert what in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "error"),
    [
        (None, "cannot open the file: no such file or directory (p.json)"),
        ("[1, 2]", "p.json is not a package file with a list of urls"),
        ('{"urls": 7}', "p.json is not a package file with a list of urls"),
        ("[" * 5000, "p.json is not a package file with a list of urls"),
        ('{"urls": [["a", "gone"]]}', "cannot open the file: no such file or directory (gone)"),
    ],
)
def test_a_package_file_that_cannot_be_used_is_named(release_folder, capsys, package, error):
    """The file, and what is wrong with it; no exception of the language."""
    if package is not None:
        (release_folder / "p.json").write_text(package)
    options = ["--board", "board.py", "--image", "new", "--out", "new.json"]
    assert run(["release", "make", "p.json", *options]) == 1
    assert error in capsys.readouterr().err


def test_another_key_and_a_key_others_can_read_are_refused(release_folder, capsys):
    """And keys are never overwritten."""
    assert run(["release", "keygen", "other"]) == 0
    assert run(["release", "verify", "em.json", "--key", "other.pub"]) == 1
    assert "not signed by this key" in capsys.readouterr().err
    (release_folder / "house.key").chmod(0o640)
    assert run(["release", "sign", "em.json", "--key", "house.key"]) == 1
    assert "others may read" in capsys.readouterr().err
    assert run(["release", "keygen", "house"]) == 1
    assert "already exists" in capsys.readouterr().err
    assert run(["release", "verify", "em.json", "--key", "em.json"]) == 1
    assert run(["release", "verify", "nothing.json", "--key", "house.pub"]) == 1


def test_a_digest_made_by_hand():
    """SHA-256 over nonce, length and name, size, SHA-256, little endian."""
    manifest = Manifest(1, "1.0.0", files_of({"/b": b"xy", "/a": b""}))
    text = NONCE + b"\x02\x00/a\x00\x00\x00\x00" + hashlib.sha256(b"").digest()
    assert digest(manifest, NONCE, 1) == hashlib.sha256(text).digest()
    text += b"\x02\x00/b\x02\x00\x00\x00" + hashlib.sha256(b"xy").digest()
    assert digest(manifest, NONCE) == hashlib.sha256(text).digest()


names = st.text("abc/", min_size=1, max_size=4).map(lambda name: "/" + name)
images = st.dictionaries(names, st.binary(max_size=2), max_size=12)


@given(images.filter(len), images)
def test_the_first_difference_is_found(image, other):
    """Whatever two boards hold: the file named is the first of them that differs."""
    manifest, other_manifest = (Manifest(1, "1.0.0", files_of(files)) for files in (image, other))
    assert (differences(manifest, other_manifest.files) == []) == (image == other)
    if image == other:
        return
    search, asked = find(manifest, len(other)), 0
    try:
        most = next(search)
        while True:
            asked += 1
            most = search.send(
                digest(manifest, NONCE, most) == digest(other_manifest, NONCE, most)
            )
    except StopIteration as end:
        message = str(end.value)
    assert asked <= 4
    pairs = zip(manifest.files, other_manifest.files, strict=False)
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(image), len(other)))
    if same < len(image):
        assert message.startswith(manifest.files[same].path)
    else:
        assert message.startswith(f"{len(other) - len(image)} files more")
