"""The sink that is a file: whole lines, on the disk, each event once, turned over by size."""

import json
import os

import pytest

from tabletools.cms import FileSink, OutgoingEvent

LINE = 40  # bytes of each line below, with its end


def outgoing_event(number):
    """A letter of 39 bytes."""
    body = json.dumps({"id": f"e{number}"}).encode()
    padded = body[:-1] + b" " * (LINE - 1 - len(body)) + b"}"
    return OutgoingEvent(number, f"e{number}", "tablewire.alarm.raised", 1, padded, 0)


def ids(file):
    return [json.loads(line)["id"] for line in file.read_bytes().splitlines()]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "events.jsonl"


@pytest.fixture
def sink(file):
    new_sink = FileSink(file, rotate_bytes=3 * LINE)
    yield new_sink
    new_sink.close()


def test_lines_are_appended(sink, file):
    """Two calls, three lines, in order; the name of the sink is that of the file."""
    assert sink.send([outgoing_event(1), outgoing_event(2)]).delivered == [1, 2]
    assert sink.send([outgoing_event(3)]).delivered == [3]
    assert ids(file) == ["e1", "e2", "e3"]
    assert sink.name == f"file:{file}"


def test_a_full_file_is_turned_over(sink, file):
    """Three lines fill it: the fourth begins a new one, the seventh the next."""
    for number in range(1, 8):
        sink.send([outgoing_event(number)])
    names = sorted(path.name for path in file.parent.iterdir())
    assert names == ["events.jsonl", "events.jsonl.000001", "events.jsonl.000002"]
    assert ids(file.with_name("events.jsonl.000001")) == ["e1", "e2", "e3"]
    assert ids(file.with_name("events.jsonl.000002")) == ["e4", "e5", "e6"]
    assert ids(file) == ["e7"]


@pytest.mark.parametrize("cut", range(1, LINE + 1))
def test_a_torn_last_line_is_mended(sink, file, cut):
    """Power lost in the third line, or between its end and the count: it is in the file once."""
    file.write_bytes(b"".join(outgoing_event(n).body + b"\n" for n in (1, 2, 3))[: 2 * LINE + cut])
    assert sink.send([outgoing_event(3)]).delivered == [3]
    assert ids(file) == ["e1", "e2", "e3"]


def test_a_line_written_before_the_turn_is_not_written_again(sink, file):
    """Written, turned over, not counted: the id is found in the file before."""
    for number in range(1, 5):
        sink.send([outgoing_event(number)])
    again = FileSink(file, rotate_bytes=3 * LINE)
    assert again.send([outgoing_event(3), outgoing_event(4), outgoing_event(5)]).delivered == [
        3,
        4,
        5,
    ]
    again.close()
    assert ids(file) == ["e4", "e5"]


def test_a_disk_that_is_full_tears_no_line(sink, file, monkeypatch):
    """Half of the second call fits: it is taken back, nothing counts, later it is whole."""
    sink.send([outgoing_event(1)])
    real, calls = os.write, []

    def write(descriptor, data):
        calls.append(len(data))
        if len(calls) == 1:
            return real(descriptor, data[:50])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    sent = sink.send([outgoing_event(2), outgoing_event(3)])
    assert (sent.delivered, sent.failed) == ([], {})
    assert "No space left on device" in sent.down
    assert file.stat().st_size == LINE
    monkeypatch.undo()
    assert sink.send([outgoing_event(2), outgoing_event(3)]).delivered == [2, 3]
    assert ids(file) == ["e1", "e2", "e3"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """The sink is down, with the name of the file."""
    missing = tmp_path / "no" / "events.jsonl"
    assert (
        FileSink(missing).send([outgoing_event(1)]).down == f"{missing}: No such file or directory"
    )
