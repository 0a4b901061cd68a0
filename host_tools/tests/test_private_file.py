"""Files with money or evidence: only their owner reads them, and none is overwritten unasked."""

import os
import stat
from pathlib import Path

import pytest

from host_tools.tests.pit import Pit
from tabletools.cli.main import run
from tabletools.cms.consumer import Landing
from tabletools.errors import USER, ToolError
from tabletools.private_file import NewFile
from tabletools.store import Store

OLD = b"what was recorded last night\n"
# Nothing listens there.
CLOSED = "socket://127.0.0.1:9"


@pytest.fixture(autouse=True)
def open_umask():
    """The umask under which a file made carelessly can be read and written by everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def night(tmp_path):
    """A file that already exists."""
    file = tmp_path / "night"
    file.write_bytes(OLD)
    return file


def modes(folder):
    """Return the mode of each file in a folder by its name."""
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def private(*names):
    return dict.fromkeys(names, 0o600)


# --- databases --------------------------------------------------------------------------------


def test_a_ledger_its_log_and_its_backup(tmp_path, capsys):
    """The database, -wal and -shm while it is open; a backup and what is restored from it."""
    place, folder = tmp_path / "pit.ledger", tmp_path / "backups"
    folder.mkdir()
    pit = Pit(str(place))
    pit.play(1, 1, (pit.ada, "red", 1000))
    assert {"pit.ledger", "pit.ledger-wal", "pit.ledger-shm"} == set(modes(tmp_path)) - {"backups"}
    assert set(modes(tmp_path).values()) - {0o777} == {0o600}
    assert run(["ledger", "backup", str(place), str(folder / "a")]) == 0
    assert run(["ledger", "restore", str(folder / "a"), str(folder / "b")]) == 0
    pit.ledger.close()
    assert modes(folder) == private("a", "b")


def test_a_ledger_named_by_its_url(tmp_path):
    Store.open(f"sqlite:///{tmp_path / 'pit.ledger'}").close()
    assert modes(tmp_path)["pit.ledger"] == 0o600


def test_evidence_and_its_log(tmp_path, capsys):
    """What `collect` makes, though no table answers."""
    run(["collect", CLOSED, "--db", str(tmp_path / "night.db")])
    assert modes(tmp_path)["night.db"] == 0o600
    assert set(modes(tmp_path).values()) == {0o600}


def test_the_events_of_a_consumer(tmp_path):
    landing = Landing(tmp_path / "landed.sqlite")
    assert set(modes(tmp_path)) > {"landed.sqlite", "landed.sqlite-wal"}
    assert set(modes(tmp_path).values()) == {0o600}
    landing.close()


# --- one file ---------------------------------------------------------------------------------


def test_a_new_file_appears_with_its_first_write(tmp_path):
    """Private from its first byte, and nothing under its name before there is one."""
    file = tmp_path / "new"
    with NewFile(file) as new_file:
        assert not file.exists()
        assert set(modes(tmp_path).values()) == {0o600}
        new_file.write("a line\n")
        assert file.read_text() == "a line\n"
        new_file.write("another\n")
    assert file.read_text() == "a line\nanother\n"
    assert modes(tmp_path) == private("new")


def test_a_file_that_nothing_was_written_to_is_not_there(tmp_path):
    NewFile(tmp_path / "new").close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_refused(night):
    """What, where, and what to do; the file is as it was."""
    with pytest.raises(ToolError) as caught:
        NewFile(night)
    assert "already exists" in caught.value.what
    assert caught.value.where == str(night)
    assert "--force" in caught.value.step
    assert caught.value.exit_code == USER
    assert night.read_bytes() == OLD


def test_by_force_it_stays_until_there_is_something_to_write(night, tmp_path):
    """Then the new one is in its place, private although the old one was not."""
    night.chmod(0o644)
    NewFile(night, force=True).close()
    assert night.read_bytes() == OLD
    with NewFile(night, force=True) as new_file:
        assert night.read_bytes() == OLD
        new_file.write("new\n")
        assert night.read_text() == "new\n"
    assert modes(tmp_path) == private("night")


def test_a_file_made_meanwhile_is_kept(tmp_path):
    """Two recordings into one file: the first to write has it."""
    file = tmp_path / "new"
    with NewFile(file) as new_file:
        file.write_bytes(OLD)
        with pytest.raises(ToolError, match="already exists"):
            new_file.write("mine\n")
    assert file.read_bytes() == OLD
    assert [one.name for one in tmp_path.iterdir()] == ["new"]


def test_a_link_is_followed(night, tmp_path):
    """The file it points to is the one that counts, and the link stays a link."""
    link = tmp_path / "link"
    link.symlink_to(night)
    with pytest.raises(ToolError, match="already exists"):
        NewFile(link)
    with NewFile(link, force=True) as new_file:
        new_file.write("new\n")
    assert (link.is_symlink(), night.read_text()) == (True, "new\n")


def test_a_device_is_written_to_without_force():
    """/dev/stdout is a place for a capture."""
    with NewFile(Path("/dev/null")) as new_file:
        new_file.write("gone\n")


@pytest.mark.parametrize("name", ["", "no/folder/here"])
def test_what_cannot_be_written_is_said_at_once(name, tmp_path):
    with pytest.raises(ToolError, match="cannot write the file"):
        NewFile(tmp_path / name)


# --- the commands -----------------------------------------------------------------------------

WRITING = {
    "monitor": lambda file: ["monitor", CLOSED, "--record", file],
    "config dump": lambda file: ["config", "dump", CLOSED, "--out", file],
    "diag bundle": lambda file: ["diag", "bundle", CLOSED, file],
    "emulate --out": lambda file: ["emulate", "roulette", "--spins", "1", "--out", file],
    "emulate --truth": lambda file: ["emulate", "roulette", "--spins", "1", "--truth", file],
}


@pytest.mark.parametrize("name", WRITING)
def test_no_command_overwrites(name, night, tmp_path, capsys):
    """Refused before the port is opened or a spin is played:

    exit code of a user's mistake.
    """
    assert run(WRITING[name](str(night))) == USER
    error = capsys.readouterr().err
    assert f"the file already exists and was left unchanged ({night})" in error
    assert "next step: name another file, or replace this one with --force" in error
    assert night.read_bytes() == OLD
    assert [file.name for file in tmp_path.iterdir()] == ["night"]


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "--csv", "no.csv", "--plot"],
        ["replay", "no.trace", "--plot"],
        ["play", "--rounds"],
        ["release", "make", "mip.json", "--board", "board.py", "--image", "image", "--out"],
    ],
)
def test_no_picture_list_or_manifest_is_overwritten(words, tmp_path, monkeypatch, capsys):
    """Before anything is read or played; by force the next step is taken."""
    monkeypatch.chdir(tmp_path)
    Path("there.png").write_bytes(OLD)
    assert run([*words, "there.png"]) == USER
    error = capsys.readouterr().err
    assert "the file already exists and was left unchanged (there.png)" in error
    if words[0] != "play":
        assert run([*words, "there.png", "--force"]) == USER
        assert "already exists" not in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["there.png"]
    assert Path("there.png").read_bytes() == OLD


def test_a_trace_of_the_same_name_is_kept(tmp_path, capsys):
    """The same trace again is no loss; another one of that round number is."""
    words = ["emulate", "roulette", "--spins", "1", "--traces", str(tmp_path), "--seed"]
    assert run([*words, "1"]) == run([*words, "1"]) == 0
    [file] = tmp_path.iterdir()
    first = file.read_bytes()
    assert run([*words, "2"]) == USER
    assert "another file of that name exists" in capsys.readouterr().err
    assert file.read_bytes() == first
    assert run([*words, "2", "--force"]) == 0
    assert file.read_bytes() != first


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("name", ["monitor", "config dump", "diag bundle"])
def test_a_port_that_is_refused_costs_no_file(name, force, night, tmp_path, capsys):
    """Nothing came, so nothing is made and nothing replaced, by force or without."""
    file = night if force else tmp_path / "other"
    assert run([*WRITING[name](str(file)), *force]) == 3
    assert [one.name for one in tmp_path.iterdir()] == ["night"]
    assert night.read_bytes() == OLD


def test_an_emulated_capture_by_force(night, tmp_path, capsys):
    """Capture and truth are replaced, the traces are private too."""
    truth = tmp_path / "truth"
    words = ["--out", str(night), "--truth", str(truth), "--traces", str(tmp_path / "traces")]
    assert run(["emulate", "roulette", "--spins", "1", *words, "--force"]) == 0
    assert night.read_bytes().startswith(b"tablewire-capture 2 ")
    files = {file: mode for file, mode in modes(tmp_path).items() if file != "traces"}
    assert files == private("night", "truth")
    assert set(modes(tmp_path / "traces").values()) == {0o600}
