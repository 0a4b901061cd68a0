"""Where a keyring may be: nowhere that another user can change what is read."""

import os
import stat

import pytest

from tabletools.cli.main import run
from tabletools.keys import Key, Keyring, KeyringError

SECRET = bytes(range(32))
STRANGER = 12345


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        place.chmod(0o755)
    return folder


@pytest.fixture
def ring(folder):
    ring = Keyring(folder / "keys.json")
    ring.add(7, Key(1, SECRET))
    return ring


@pytest.fixture
def owned_by_stranger(monkeypatch):
    """Makes a place another user's: really for root, for lstat and fstat alone otherwise."""
    real = {"lstat": os.lstat, "fstat": os.fstat}
    stolen = set()

    def fake(name):
        def call(place, **options):
            status = real[name](place, **options)
            if (status.st_dev, status.st_ino) not in stolen:
                return status
            return os.stat_result((*status[:4], STRANGER, *status[5:]))

        return call

    def own(place):
        if os.geteuid() == 0:
            os.lchown(place, STRANGER, -1)
        else:
            status = real["lstat"](place)
            stolen.add((status.st_dev, status.st_ino))

    for name in real:
        monkeypatch.setattr(os, name, fake(name))
    return own


def refusal(ring):
    """What, cause and step of the refusal; every use of the keyring is refused alike."""
    refusals = set()
    for act in (ring.all, lambda: ring.keys_of(7), lambda: ring.add(8, Key(1, SECRET))):
        with pytest.raises(KeyringError) as caught:
            act()
        refusals.add((caught.value.what, caught.value.cause, caught.value.step))
    (only,) = refusals
    return only


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o770])
@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_others_can_write_to_is_refused(ring, folder, mode, level):
    """The keyring's own and each above it, with the mode it should have and the command for it."""
    place = (folder, folder.parent)[level]
    place.chmod(mode)
    what, _, step = refusal(ring)
    assert f"the mode of {place} is {mode:04o}, not {mode & ~0o022:04o}" in what
    assert f"chmod go-w {place}" in step
    place.chmod(0o755)
    assert ring.keys_of(7) == {1: SECRET}


def test_a_missing_keyring_in_such_a_folder_is_no_empty_one(folder):
    """It may have been removed: without its key a table would pass for one of the bench."""
    folder.chmod(0o777)
    refusal(Keyring(folder / "keys.json"))
    folder.chmod(0o755)
    assert Keyring(folder / "keys.json").all() == {}


def test_a_folder_like_tmp_may_hold_folders_but_no_keyring(folder):
    """There each user can remove only what is their own, but may make what is missing."""
    folder.chmod(0o1777)
    what, _, step = refusal(Keyring(folder / "keys.json"))
    assert "is 1777" in what
    assert "chmod" not in step
    own = folder / "own"
    own.mkdir(mode=0o700)
    ring = Keyring(own / "keys.json")
    ring.add(7, Key(1, SECRET))
    assert ring.keys_of(7) == {1: SECRET}
    link = folder / "link.json"
    link.symlink_to(own / "keys.json")
    assert Keyring(link).keys_of(7) == {1: SECRET}


@pytest.mark.parametrize("name", ["file", "folder", "above"])
def test_what_another_user_owns_is_refused(ring, folder, owned_by_stranger, name):
    """File or folder; root and the user are the only owners believed."""
    place = {"file": ring.file, "folder": folder, "above": folder.parent}[name]
    owned_by_stranger(place)
    what, _, step = refusal(ring)
    assert f"{place} belongs to user {STRANGER}, not to you (user {os.geteuid()}) or root" in what
    assert f"chown {os.geteuid()} {place}" in step


def test_root_is_believed(ring, monkeypatch):
    """To a user who is not root, what root owns is safe; what the user before owned is not."""
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    if owner == 0:
        assert ring.keys_of(7) == {1: SECRET}
    else:
        assert f"belongs to user {owner}" in refusal(ring)[0]


def test_a_link_of_another_user_is_refused(ring, folder, tmp_path, owned_by_stranger):
    """To the file or to a folder on the way: its owner could turn it to another keyring."""
    for link, target in ((tmp_path / "keys.json", ring.file), (tmp_path / "way", folder)):
        link.symlink_to(target)
        named = link / "keys.json" if target == folder else link
        assert Keyring(named).keys_of(7) == {1: SECRET}
        owned_by_stranger(link)
        assert f"{link} belongs to user {STRANGER}" in refusal(Keyring(named))[0]


def test_a_link_out_of_a_folder_others_can_write_to_is_refused(ring, tmp_path):
    """They can replace the link, whatever its owner."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (shared / "keys.json").symlink_to(ring.file)
    assert str(shared) in refusal(Keyring(shared / "keys.json"))[0]


def test_links_that_lead_nowhere(tmp_path):
    """A loop is refused; a relative link and one with dots are followed."""
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert "loop" in refusal(Keyring(tmp_path / "one" / "keys.json"))[0]
    (tmp_path / "deep").mkdir(mode=0o700)
    (tmp_path / "deep" / "up").symlink_to("../deep/./there")
    ring = Keyring(tmp_path / "deep" / "up" / "keys.json")
    (tmp_path / "deep" / "there").mkdir(mode=0o700)
    ring.add(7, Key(1, SECRET))
    assert (tmp_path / "deep" / "there" / "keys.json").is_file()


def test_two_dots_after_a_link_lead_above_its_target(ring, folder, tmp_path):
    """Not back to where the link is: what is checked is what is opened."""
    (tmp_path / "way").symlink_to(folder)
    named = tmp_path / "way" / ".." / "keys.json"
    Keyring(folder.parent / "keys.json").add(9, Key(1, SECRET))
    assert list(Keyring(named).all()) == [9]
    folder.parent.chmod(0o777)
    assert str(folder.parent) in refusal(Keyring(named))[0]


def test_folders_are_made_for_the_owner_alone(tmp_path):
    """Under any umask, each that is missing."""
    before = os.umask(0)
    try:
        Keyring(tmp_path / "a" / "b" / "keys.json").add(7, Key(1, SECRET))
    finally:
        os.umask(before)
    for place in (tmp_path / "a", tmp_path / "a" / "b"):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_a_command_says_so_with_exit_code_1(ring, folder, capsys):
    """What is wrong, where, the mode it should have, and what to do."""
    folder.chmod(0o777)
    assert run(["keys", "list", "--keys", str(ring.file)]) == 1
    output = capsys.readouterr().err
    assert f"error: others can write to a folder of the keyring: the mode of {folder}" in output
    assert f"next step: chmod go-w {folder}" in output
    assert SECRET.hex() not in output
