"""`tabletool replay`, `tabletool trace` and what `collect` keeps of a round's evidence."""

import json
import sqlite3
from binascii import crc32
from contextlib import closing

import pytest

from hil_tests.decisions import decided_table
from tableemulator import play_session
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.repeater import Repeater, Served, played
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.virtual_pit import VirtualClock
from tabletools.cli.diag.calibrations import money_wheel
from tabletools.cli.main import run
from tabletools.decode.stored_frames import assembled
from tabletools.errors import UNREACHABLE
from tabletools.link import Conversation, Fetch, Session
from tabletools.pit.collector import Collector
from tabletools.replay import replayed
from tabletools.replay.roulette_picture import draw
from tabletools.store import Store
from tablewire import messages as m
from tablewire import roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

GEOMETRY = Geometry("double", "array")
DEVICE = 4711
SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def trace():
    """The trace of a healthy spin."""
    table = decided_table(GEOMETRY, 6)
    return table.controller.trace(table.spin().ended.round)


@pytest.fixture
def file(tmp_path, trace):
    path = tmp_path / "4711-1.trace"
    path.write_bytes(trace)
    return path


def forged(data):
    """The trace with another number and a right sum."""
    forgery = bytearray(data[:-4])
    forgery[forgery.rindex(bytes([0xFE, roulette.WHEEL_RESULT])) + 3] ^= 1
    return bytes(forgery) + crc32(bytes(forgery)).to_bytes(4, "little")


def test_an_honest_trace_agrees(file, trace, capsys):
    """The story, the record, the verdict; exit code 0."""
    assert run(["replay", str(file)]) == 0
    out = capsys.readouterr().out
    number = replayed(trace)[0].values[0]
    assert out.startswith("Table 4711, boot 1, round 1: number ")
    assert f"wheel_result pocket {number}," in out
    assert out.splitlines()[-1].startswith("replay: agrees (")


def test_a_forged_record_disagrees(file, trace, capsys):
    """Both numbers are named; exit code 1."""
    file.write_bytes(forged(trace))
    assert run(["replay", str(file), "--json"]) == 1
    output = json.loads(capsys.readouterr().out)
    number = replayed(trace)[0].values[0]
    assert output["verdict"] == "DISAGREES"
    assert (output["recorded"]["pocket"], output["replayed"]["pocket"]) == (number ^ 1, number)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "which round?"),
        (["none.trace"], "cannot read the trace"),
        (["{file}", "--plot", "x.pdf"], "cannot draw .pdf (--plot x.pdf, .png or .svg)"),
        (["--db", "{file}"], "which round?"),
        (["--db", "{file}", "--round", "1"], "this is not a database of tabletool"),
    ],
)
def test_what_is_refused(file, words, what, capsys):
    """What, where, what next; exit code 1."""
    assert run(["replay", *[word.format(file=file) for word in words]]) == 1
    output = capsys.readouterr().err
    assert output.startswith(f"tabletool: error: {what}")
    assert "next step: " in output


def test_a_damaged_trace_is_refused(file, trace, capsys):
    """Nothing is claimed of the round."""
    file.write_bytes(trace[:-1])
    assert run(["replay", str(file)]) == 1
    output = capsys.readouterr()
    assert output.err.startswith("tabletool: error: the trace is damaged")
    assert output.out == ""


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_a_picture_is_drawn_and_is_the_same_again(file, trace, tmp_path, name, start, capsys):
    """As often as it is drawn, byte for byte."""
    assert run(["replay", str(file), "--plot", str(tmp_path / name)]) == 0
    first = (tmp_path / name).read_bytes()
    assert first.startswith(start)
    draw(tmp_path / name, *replayed(trace))
    assert (tmp_path / name).read_bytes() == first


def test_the_picture_names_what_it_shows(file, tmp_path, capsys):
    """Every panel, limit, phase and the decision stand there as words."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}):
        assert run(["replay", str(file), "--plot", str(tmp_path / "a.svg")]) == 0
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    words = "decision: number, Replay agrees, 7 needed, slow enough to drop, ball on the rim"
    for word in f"{words}, slowest allowed, seconds after the ball, rim 1, in a pocket".split(
        ", "
    ):
        assert word in text, word


class Line:
    """A collector on the line of an emulated board, in virtual time."""

    def __init__(self, path):
        self.clock = VirtualClock()
        self.store = Store.open(path, clock=self.clock)
        self.collector = Collector(self.store, lambda _: {1: SECRET})
        self.collector.session.connected(0.0)
        self.fetched = []

    def receive(self, when, direction, data):
        """What the board sent."""
        if direction == FROM_TABLE:
            self.clock.now_us = max(when, self.clock.now_us)
            for event in self.collector.session.receive(data, self.clock.now_us / 1e6):
                self.collector.take(event)

    def answer(self, table):
        """Send what the collector wants to; between slices of the table's time."""
        self.clock.now_us = max(table.now_us, self.clock.now_us)
        for event in self.collector.session.tick(self.clock.now_us / 1e6):
            self.collector.take(event)
        self.collector.tick()
        data = self.collector.session.outgoing()
        if data:
            frames = [f for f in Receiver().feed(data) if isinstance(f, Frame)]
            self.fetched += [f.values for f in frames if f.type == m.FETCH_TRACE]
            table.send(data)


def test_collect_keeps_the_trace_of_every_round(tmp_path, capsys):
    """Fetched from the firmware while it idles; replayed from the database against the record."""
    path = tmp_path / "night.db"
    line = Line(path)
    geometry = Geometry("single", "head")
    with play_session.emulated_table(
        geometry, 8, listen=line.receive, pace=line.answer, acknowledge=False, key=(1, SECRET)
    ) as table:
        for _ in range(2):
            play_session.play(table, None)
        traces = {n: table.controller.trace(n) for n in (1, 2)}
        device = line.collector.device
        table.step(table.now_us + 1)
        limit_us = table.now_us + 10_000_000
        while table.now_us < limit_us:
            table.step(limit_us)
    assert line.collector.failure is None
    line.store.close()
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT device, round, bytes, raw FROM traces ORDER BY round").fetchall()
    assert [row[:3] for row in rows] == [(device, n, len(traces[n])) for n in (1, 2)]
    assert [assembled(raw) for *_, raw in rows] == [traces[1], traces[2]]
    assert money_wheel.traces(str(path), device) == [traces[2], traces[1]]
    assert money_wheel.traces(str(path), device + 1) == []
    # Each piece was requested once.
    assert len(line.fetched) == sum(-(-len(data) // 192) for data in traces.values())
    capsys.readouterr()
    assert run(["replay", "--db", str(path), "--round", "2"]) == 0
    assert run(["evidence", str(path)]) == 0
    assert capsys.readouterr().out.count(", trace kept") == 2
    _change_the_record(path)
    assert run(["replay", "--db", str(path), "--round", "2"]) == 1
    assert "the database has wheel_result" in capsys.readouterr().out
    assert run(["replay", "--db", str(path), "--round", "9"]) == 1
    assert "there is no trace of round 9" in capsys.readouterr().err


def _change_the_record(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER frames_no_update")
        query = "SELECT id, payload FROM frames WHERE type = ? AND round = 2"
        row, payload = db.execute(query, (roulette.WHEEL_RESULT,)).fetchone()
        changed = json.loads(payload)
        changed["pocket"] ^= 1
        db.execute("UPDATE frames SET payload = ? WHERE id = ?", (json.dumps(changed), row))


class Fetched:
    """Fetch a round's trace from a table that a test plays. asked: the places requested."""

    def __init__(self, number):
        self.session = Session()
        self.session.connected(0.0)
        self.session.receive(Sender(DEVICE, 1).build(m.STATE, (2, 1)), 0.1)
        self.conversation = Conversation(self.session)
        self.fetch = Fetch(self.conversation, DEVICE, number)
        self.asked = []
        self.pass_to(1.0)

    def pass_to(self, now_s):
        """Let time pass and the fetch act."""
        self.fetch.step()
        self.conversation.tick(now_s)
        for frame in Receiver().feed(self.session.outgoing()):
            if frame.type == m.FETCH_TRACE:
                self.asked.append(frame.values)

    def receive(self, number, offset, data, device=DEVICE):
        """The table sends one piece of a trace."""
        sender = Sender(device, 1)
        sender.counter = 9
        piece = data[offset : offset + 192]
        (frame,) = Receiver().feed(sender.build(m.TRACE_CHUNK, (number, offset, len(data), piece)))
        self.conversation.take(frame)
        self.pass_to(1.0)


def test_a_trace_is_fetched_piece_by_piece(trace):
    """The next piece is requested when the last arrived; other frames change nothing."""
    host = Fetched(1)
    for offset in range(0, len(trace), 192):
        assert host.asked[-1] == (1, offset)
        before = len(host.asked)
        host.receive(2, offset, trace)
        host.receive(1, offset, trace, device=9)
        host.receive(1, offset + 192, trace)
        assert len(host.asked) == before
        host.receive(1, offset, trace)
    assert (host.fetch.done, host.fetch.data) == (True, trace)


def test_an_answer_that_is_lost_is_asked_for_again():
    """Five times, then the trace is left for later."""
    host = Fetched(1)
    for second in range(2, 8):
        host.pass_to(float(second))
    assert host.asked == [(1, 0)] * 5
    assert host.fetch.refused


def test_the_refusal_of_another_question_does_not_end_a_fetch():
    """The answer names its command by a counter, and the fetch continues."""
    host = Fetched(1)
    sender = Sender(DEVICE, 1)
    sender.counter = 9
    values = (m.FETCH_TRACE, 999, m.REFUSAL_WRONG_PHASE, 3, 1, 2, 0)
    (frame,) = Receiver().feed(sender.build(m.REFUSAL, values))
    host.conversation.take(frame)
    host.pass_to(1.0)
    assert not host.fetch.refused


def test_no_trace_and_a_trace_of_another(trace):
    """None is an answer; a trace replaced on the way, or of another round, is not taken."""
    none = Fetched(1)
    none.receive(1, 0, b"")
    assert (none.fetch.done, none.fetch.data) == (True, b"")
    other = Fetched(7)
    for offset in range(0, len(trace), 192):
        other.receive(7, offset, trace)
    fetch = other.fetch
    assert (fetch.done, fetch.refused, fetch.data) == (False, True, b"")


def test_traces_are_fetched_into_files(tmp_path, trace, capsys):
    """One file a round, as the table keeps it; a round without a trace is left out."""
    entries = played(1, 3)
    with Served(Repeater(DEVICE, 3, entries, traces={1: trace})) as served:
        assert run(["trace", served.url, "--out", str(tmp_path / "new")]) == 0
    path = tmp_path / "new" / "4711-1.trace"
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == trace
    assert capsys.readouterr().out == f"{path}: {len(trace)} bytes\n"


def test_a_round_the_table_does_not_keep(tmp_path, capsys):
    """Says which rounds it has; exit code 1."""
    with Served(Repeater(DEVICE, 3, played(1, 3))) as served:
        assert run(["trace", served.url, "--round", "2", "--out", str(tmp_path)]) == 1
    output = capsys.readouterr().err
    assert "the table has no trace of that round" in output
    assert "its last round is 3, it keeps 10" in output


def test_a_table_that_does_not_answer(tmp_path):
    """A port that is closed: exit code 3."""
    assert run(["trace", "socket://127.0.0.1:1", "--out", str(tmp_path)]) == UNREACHABLE
    assert list(tmp_path.iterdir()) == []
