"""What the controller says of its own flash, against hashes made here from the same files."""

import hashlib
import struct

import pytest
from tests.rig.desk import Desk, names

from tabledev.app.version import RELEASE
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablespec.provisioning import configuration
from tabletools.release import compiled
from tablewire import codes
from tablewire import messages as m
from tablewire.slots import COUNTERS, pack_slot

NONCE = bytes(range(16))
ALL = 0xFFFF
# No round opens by itself: in the minute after bets closed a ball is waited for, and no file read.
IDLE = {"auto_open": 0}
# Longer than hashing everything takes while no ball runs.
LONG_MS = 30_000


def digest(files, nonce=NONCE, most=ALL):
    """Of files by path, as PROTOCOL.md says."""
    text = nonce
    for path in sorted(files, key=str.encode)[:most]:
        name = path.encode()
        text += struct.pack("<H", len(name)) + name + struct.pack("<I", len(files[path]))
        text += hashlib.sha256(files[path]).digest()
    return hashlib.sha256(text).digest()


def attestation(desk, nonce=NONCE, most=ALL):
    """The only attestation that answers."""
    desk.play(100)  # the table has said who it is
    frames = desk.send(m.ATTEST, [nonce, most], ms=LONG_MS)
    (frame,) = [frame for frame in frames if frame.type == m.ATTESTATION]
    return frame.values


@pytest.fixture(scope="module")
def mpy(tmp_path_factory):
    return compiled(program(), tmp_path_factory.mktemp("mpy"))


def test_every_file_is_in_the_digest(mpy):
    """As source and as compiled; number and size of the files beside it."""
    for files in (program(), mpy):
        with Desk(IDLE, files=files) as desk:
            size = sum(map(len, files.values()))
            assert attestation(desk) == (NONCE, digest(files), len(files), size, RELEASE)
            assert attestation(desk, bytes(16))[1] == digest(files, bytes(16))
            assert desk.errors == ""


def test_the_first_files_alone():
    """Any number of them, so that a host can find the one that differs."""
    files = program()
    with Desk(IDLE, files=files) as desk:
        for most in (0, 1, 7, len(files)):
            assert attestation(desk, most=most)[1:3] == (digest(files, most=most), most)
        assert attestation(desk, most=len(files) + 5)[2] == len(files)


def test_its_own_data_change_nothing_and_a_byte_of_a_program_does():
    """Rounds, faults and boots leave the digest; one more file or one renamed does not."""
    files = program()
    with Desk(files=files) as desk:
        desk.play(8000)
        assert attestation(desk)[1] == digest(files)
        desk.reset("power")
        desk.board.put_flash("/flash/extra.py", b"print(1)\n")
        assert attestation(desk)[1] == digest({**files, "/flash/extra.py": b"print(1)\n"})
    path = "/tablelogic/roulette/judge.py"
    other = {**files, path: bytes([files[path][0] ^ 1]) + files[path][1:]}
    # The changed first byte of the docstring is no program any more: it is never imported here.
    assert digest(other) != digest(files)
    moved = {**files, "/lib/board.py": files["/board.py"]}
    with Desk(IDLE, files=moved) as desk:
        assert attestation(desk)[1] == digest(moved) != digest(files)


def test_it_waits_for_the_ball_and_disturbs_no_round():
    """While a ball runs nothing is hashed; afterwards the answer comes."""
    with Desk() as desk:
        desk.play(7000)
        desk.play(200, [(0, "pin", 5, 1), (5, "pin", 5, 0)])
        frames = desk.send(m.ATTEST, [NONCE, ALL], ms=1500)
        assert m.ATTESTATION not in [frame.type for frame in frames]
        frames = desk.play(2 * LONG_MS)
        assert m.ATTESTATION in [frame.type for frame in frames]
        assert desk.errors == ""


def test_lock_stands_until_a_technician_clears_it():
    """Over a power cut too; the open round is void."""
    with Desk() as desk:
        desk.play(7000)
        frames = desk.send(m.LOCK)
        assert names(frames) == ["fault_raised", "bets_closed", "round_void"]
        (void,) = [frame for frame in frames if frame.type == m.ROUND_VOID]
        assert void.values[0] == codes.FIRMWARE_MISMATCH
        desk.reset("power")
        assert "round_opened" not in names(desk.play(10_000))
        assert names(desk.send(m.CLEAR_FAULT, [codes.FIRMWARE_MISMATCH], ms=100)) == [
            "fault_cleared",
            "round_opened",
        ]


def test_an_older_release_does_not_play():
    """The highest release is kept over boots; the same or a newer one clears the fault."""
    with Desk() as desk:
        name = "/flash/counters.0"
        for path in (name, "/flash/counters.1"):
            desk.board.put_flash(path, pack_slot(COUNTERS, 99, [5, 3, 0, 0, RELEASE + 1]))
        desk.reset("power")
        frames = desk.play(10_000)
        raised = [f.values for _, f in desk.frames if f.type == m.FAULT_RAISED]
        assert (codes.FIRMWARE_ROLLBACK, 255, RELEASE, RELEASE + 1) in raised
        assert "round_opened" not in names(frames)
        answer = desk.send(m.CLEAR_FAULT, [codes.FIRMWARE_ROLLBACK])
        assert names(answer) == ["refusal"]
        flash = desk.board.flash
    newer = program()
    text = newer["/tabledev/app/version.py"]
    line = f"RELEASE = const({RELEASE})".encode()
    assert line in text
    newer["/tabledev/app/version.py"] = text.replace(
        line, f"RELEASE = const({RELEASE + 1})".encode()
    )
    with Desk(files=newer) as desk:
        for path, data in flash.items():
            desk.board.put_flash(path, data)
        desk.reset("power")
        assert "round_opened" in names(desk.play(10_000))
        reported = [f.values for _, f in desk.frames if f.type == m.FAULT_CLEARED]
        assert codes.FIRMWARE_ROLLBACK in [values[0] for values in reported]


def test_every_boot_is_reported():
    """Cause, release, highest release and use; half of the journal stays free for play."""
    copy = configuration(production=1)
    with Desk() as desk:
        desk.play(100)
        for path in CONFIGURATION_FILES:
            desk.board.put_flash(path, copy)
        for _ in range(20):
            desk.reset("watchdog")
        first = [f for _, f in desk.frames if f.type == m.BOOT_REPORT and f.flags == 2]
        power, watchdog = m.RESET_CAUSE_POWER, m.RESET_CAUSE_WATCHDOG
        assert first[0].values == (power, RELEASE, RELEASE, 0)
        assert first[1].values == (watchdog, RELEASE, RELEASE, 1)
        assert len(first) == 16
        assert "round_opened" in names(desk.play(10_000))
