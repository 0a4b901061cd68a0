"""Neighbouring minor versions on one line: nothing is lost, and nothing is refused for ever.

A copy of the specification gets the next minor version: bets_closed a field, roulette a reason.
From it come the tables of newer firmware and of a newer host; today's are the older ones. Another
copy loses all that is later than the released 1.0: an older host.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil_tests.board_port import linked
from hil_tests.earlier_wire import as_released, has_role, release_of
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablespec.frame import MINOR
from tablespec.provisioning import configuration
from tabletools.capture import FROM_TABLE, Writer
from tabletools.evidence import listing
from tabletools.pit.collector import Collector
from tabletools.store import Store
from tablewire import messages as m
from tablewire.codec import HEADER_BYTES, Frame, UnreadFrame
from tablewire.framing import Receiver
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

ROOT = Path(__file__).resolve().parents[1]
SECOND = 1_000_000
NEW_REASON, DEALER = 119, 4711
NEXT = MINOR + 1
FRAME = "protocol/tablespec/frame.py"
EDITS = {
    FRAME: (f"MINOR = {MINOR}", f"MINOR = {NEXT}"),
    "protocol/tablespec/core/round_messages.py": (
        '"open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),',
        '"open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),\n'
        '            "dealer" / number("H", "", 0, 9999, "at the table",'
        f" unknown=65535, since={NEXT}),",
    ),
    "protocol/tablespec/roles/roulette.py": (
        "    Reason(\n        101,",
        f'    Reason({NEW_REASON}, "ball_worn", "void", 3, "It is worn.", "Change it.", "none"),\n'
        "    Reason(\n        101,",
    ),
}
RELEASED = "schema-1.0.json"
# What was not added since but changed, which no shape shows: a third and a fourth rim sensor.
CHANGED = {
    FRAME: (f"MINOR = {MINOR}", "MINOR = 0"),
    "protocol/tablespec/roles/roulette.py": (
        '("rim_angle_mdeg", "rim_3_angle_mdeg", "rim_4_angle_mdeg")',
        '("rim_angle_mdeg",)',
        '"drop_rim" / number("B", "", 1, 4,',
        '"drop_rim" / number("B", "", 1, 2,',
    ),
}


def take_back(place):
    """Take out of a checkout's specification what the released schema did not have."""
    schema = json.loads((ROOT / "protocol/released" / RELEASED).read_text())
    release = release_of(schema)
    for path in (place / "protocol/tablespec").glob("*/*.py"):
        text = path.read_text()
        if path.parent.name == "core" or has_role(text, release):
            path.write_text(as_released(text, release))
        else:
            path.unlink()


def edit(place, edits, change=None):
    """The environment of a checkout whose specification has these edits: pairs of old and new.

    change: of the checkout's files, before the edits.
    """
    skip = shutil.ignore_patterns("__pycache__", "tests", "vectors")
    shutil.copytree(ROOT / "protocol", place / "protocol", ignore=skip)
    (place / "host_tools" / "docs").mkdir(parents=True)
    if change:
        change(place)
    for name, pairs in edits.items():
        text = (place / name).read_text()
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (place / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(place / "protocol")}
    words = [sys.executable, "-m", "tablespec.generate"]
    subprocess.run(words, env=environment, check=True, cwd=place)
    return environment


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    """The folder of a checkout whose specification is the next."""
    place = tmp_path_factory.mktemp("newer")
    environment = edit(place, EDITS)
    words = [sys.executable, "-m", "tablespec.check_break"]
    subprocess.run(words, env=environment, check=True, cwd=place)
    return place


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The environment of a host of wire 1.0: its schema is the released one to the letter."""
    place = tmp_path_factory.mktemp("released")
    environment = edit(place, CHANGED, take_back)
    file = place / "protocol" / "released" / RELEASED
    frozen = file.read_text()
    file.unlink()
    words = [sys.executable, "-m", "tablespec.check_break", "--freeze"]
    subprocess.run(words, env=environment, check=True, cwd=place)
    assert file.read_text() == frozen
    return environment


@pytest.fixture(scope="module")
def firmware(newer):
    """Firmware of the next wire: it names the dealer when bets close."""
    files = dict(program())
    for path in files:
        if path.startswith("/tablewire/"):
            files[path] = (newer / "protocol" / path[1:]).read_bytes()
    place = "/tablelogic/core/round.py"
    old = b"self._out.bets_closed([cause, max(self.open_ms(), 0)])"
    assert old in files[place]
    files[place] = files[place].replace(old, old[:-2] + b", %d])" % DEALER)
    return files


def board(files, flash=None):
    """A board that plays on a bench, without a key."""
    copy = configuration(result_hold_ms=1000)
    return WasmBoard(files, flash=flash or dict.fromkeys(CONFIGURATION_FILES, copy))


def durable(data):
    """The records in bytes of a table: (boot, counter) and what could be read."""
    records = {}
    for item in Receiver().feed(data):
        frame = item if isinstance(item, Frame) else item.frame
        if frame is not None and frame.flags & m.FLAG_DURABLE:
            records[frame.boot, frame.counter] = frame
    return records


def void_by(reason, device, boot, number):
    """A command that voids a round, as a newer host sends it."""
    sender = Sender(device, boot)
    sender.round = number
    length = sender.pack(m.VOID_ROUND, [403])
    sender.buf[1 + HEADER_BYTES : 3 + HEADER_BYTES] = reason.to_bytes(2, "little")
    return bytes(sender.buf[: sender.close(length)])


def rounds(table, reason):
    """What a table sends in two rounds, the first voided by a newer host for that reason."""
    data = table.boot().sent
    data += table.play([], table.now_us + 10 * SECOND).sent
    begun = next(f for f in durable(data).values() if f.type == m.ROUND_OPENED)
    wire = void_by(reason, begun.device, begun.boot, begun.round)
    now = table.now_us
    return data + table.play([[now, "rx", 0, wire.hex()]], now + 10 * SECOND).sent


def test_an_older_host_and_a_newer_table(firmware, tmp_path):
    """A longer record is read; one with a reason not known here is kept raw, with an alarm."""
    store = Store.open(tmp_path / "night.db")
    with board(firmware) as table:
        first = rounds(table, NEW_REASON)
        sent = durable(first)
        unread = [f for f in sent.values() if isinstance(f, UnreadFrame)]
        assert [f.type for f in unread] == [m.ROUND_VOID]
        closed = [f for f in sent.values() if f.type == m.BETS_CLOSED]
        assert {(f.minor, len(f.values)) for f in closed} == {(NEXT, 2)}
        collector = Collector(store, lambda device: {})
        link = linked(table)("board", collector.session)
        for _ in range(1000):
            for event in link.step():
                collector.take(event)
        assert collector.failure is None
        beats = [
            f
            for f in Receiver().feed(table.play([], table.now_us + SECOND).sent)
            if isinstance(f, Frame) and f.type == m.HEARTBEAT
        ]
        assert beats[-1].values[5] == 0, "every record is acknowledged, read or not"
        with store.read() as db:
            rows = list(listing.alarm_rows(db))
        [alarm] = [row for row in rows if row["kind"] == "not_understood"]
        assert "field 1 is 119" in alarm["text"]
        assert "update" in alarm["text"]
    store.close()


def test_a_host_of_wire_1_0_and_a_wheel_of_today(released, tmp_path):
    """With two rim sensors it reads every result; one of a third or fourth is kept, not read."""
    sender, path = Sender(4711, 3), tmp_path / "wheel.capture"
    sent = []
    with open(path, "w") as file:
        writer = Writer(file, {})
        for at_us, rim in enumerate((2, 4)):
            values = (37, 19, 2, 2, 1530, -1, 1, 95, 1860, 13690, 6400, rim, 312, -14)
            wire = bytes(sender.build(WHEEL_RESULT, values, m.FLAG_DURABLE))
            writer.chunk(at_us, FROM_TABLE, wire)
            sent.append(wire.hex())
    two, four = decoded(path, released)
    assert (two["type"], two["minor"], two["drop_rim"]) == ("wheel_result", MINOR, 2)
    assert (four["type"], four["reason"]) == ("skipped", "range")
    assert "field 12 is 4" in four["detail"]
    # What the pit stores of it, acknowledged, with its round's money held: see above.
    words = "import sys; from tablewire.framing import Receiver; "
    words += "[item] = Receiver().feed(bytes.fromhex(sys.argv[1])); "
    words += "print(type(item.frame).__name__, item.frame.counter)"
    done = subprocess.run(
        [sys.executable, "-c", words, sent[1]],
        env=released,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "UnreadFrame 2\n"


def decoded(path, environment):
    """The records of a capture as a host with that specification decodes them."""
    words = "from tabletools.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", words, "decode", str(path), "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_newer_host_and_an_older_table(newer, tmp_path):
    """What an older table leaves out is not known; its frames are read all the same."""
    path = tmp_path / "old.capture"
    with board(program()) as table, open(path, "w") as file:
        Writer(file, {}).chunk(0, FROM_TABLE, rounds(table, 403))
    environment = {**os.environ, "PYTHONPATH": str(newer / "protocol")}
    words = "from tabletools.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", words, "decode", str(path), "--json", "--strict"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    closed = [record for record in records if record["type"] == "bets_closed"]
    assert closed
    assert {(record["dealer"], record["minor"]) for record in closed} == {(None, MINOR)}
    assert {r["minor"] for r in records if r["type"] == "round_void"} == {MINOR}


@pytest.mark.parametrize("is_update", [True, False], ids=["update", "rollback"])
def test_a_journal_of_other_firmware_is_sent(firmware, is_update):
    """Records that wait are sent by whatever firmware boots next, as they were written."""
    before, after = (program(), firmware) if is_update else (firmware, program())
    with board(before) as table:
        written = durable(rounds(table, 403))
        flash = table.flash
    with board(after, flash) as table:
        records = durable(table.boot().sent + table.play([], table.now_us + 4 * SECOND).sent)
    minor = MINOR if is_update else NEXT
    assert len(written) == 5  # boot report, round opened, closed, void, and the next opening
    for name, frame in written.items():
        again = records[name]
        assert again.flags & m.FLAG_RETRANSMITTED
        assert (again.type, again.round, again.minor, again.role, again.values) == (
            frame.type,
            frame.round,
            minor,
            m.ROLE_ROULETTE,
            frame.values,
        )
