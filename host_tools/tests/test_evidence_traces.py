"""The trace in an evidence file is replayed: the decision of the device is made again."""

import struct
from types import SimpleNamespace

import pytest

from hil_tests.decisions import decided_table
from host_tools.tests.pit import DEVICE, Pit
from host_tools.tests.test_cli_replay import forged
from host_tools.tests.test_evidence_file import SESSION, checkpoint, problems
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools import release
from tabletools.cli.main import run
from tabletools.evidence.stored_traces import Traces
from tabletools.evidence_file import checking, trace_replay
from tabletools.replay.parsed_trace import contents
from tabletools.roles import Played
from tablewire.crc import crc32
from tablewire.messages import PHASE_CLOSED, TRACE_CHUNK
from tablewire.sender import Sender

FRENCH = Played("roulette", "hc2023", {}, "french")


@pytest.fixture(scope="module")
def spin():
    """The trace of a healthy spin of the shipped firmware."""
    table = decided_table(Geometry("single", "both"), 8)
    return table.controller.trace(table.spin().ended.round)


def as_of(trace, *, device=None, number=None, version=None):
    """The trace with another header and a right sum."""
    known = contents(trace)
    head = bytearray(trace[:-4])
    if version is not None:
        head[5:8] = bytes(version)
    struct.pack_into("<I", head, 8, device or known.device)
    struct.pack_into("<I", head, 16, number or known.round)
    return bytes(head) + crc32(bytes(head)).to_bytes(4, "little")


def frames(data, device, number):
    """The trace as its table sends it."""
    sender = Sender(device, 1)
    parts = [(number, at, len(data), data[at : at + 192]) for at in range(0, len(data), 192)]
    return b"".join(sender.build(TRACE_CHUNK, part) for part in parts)


def replayed(spin, data=None, **other):
    """The replay of a trace as if it was of this spin."""
    known = contents(spin)
    facts = {
        "device": known.device,
        "number": known.round,
        "ended": (known.ended, known.values),
        "played": FRENCH,
    }
    raw = frames(data or spin, known.device, known.round)
    return trace_replay.replay(raw, **(facts | other))


def test_the_decision_of_the_device_is_made_again(spin):
    assert replayed(spin) == trace_replay.Replay(is_proved=True, problems=[])


def test_a_trace_that_comes_to_another_result_is_found(spin):
    """Another record in the file; another in the trace; of another round; under other rules."""
    known = contents(spin)
    other = (known.ended, (known.values[0] ^ 1, *known.values[1:]))
    for replay, what in (
        (replayed(spin, ended=other), "the trace another record"),
        (replayed(spin, forged(spin)), "the device reported"),
        (replayed(spin, number=known.round + 1), f"it is of device {known.device}, round"),
        (replayed(spin, played=Played("punto_banco", "hc2023")), "role is roulette"),
    ):
        assert not replay.is_proved
        assert any(what in text for text in replay.problems), replay


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda trace: as_of(trace, version=(0, 9, 0)), "the trace is of firmware 0.9.0"),
        (lambda trace: trace[:-9], "the trace is damaged"),
        (lambda _: bytes(60), "this is not a trace"),
    ],
)
def test_a_trace_that_cannot_be_replayed_proves_nothing(spin, change, reason):
    replay = replayed(spin, change(spin))
    assert (replay.is_proved, [*replay.problems]) == (False, [])
    assert replay.reason.startswith(reason)


def exported(folder, spin, *, number=None):
    """The file of a round with this trace. number: of its record, if another than the trace's."""
    pit, known = Pit(folder / "pit.ledger"), contents(spin)
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.close(1)
    values = known.values if number is None else (number, *known.values[1:])
    pit.say(known.ended, values, 1)
    trace = as_of(spin, device=DEVICE, number=1)
    Traces(pit.ledger).keep(DEVICE, 1, frames(trace, DEVICE, 1), SESSION)
    pit.beat(PHASE_CLOSED)
    checkpoint(pit)
    pit.ledger.close()
    file = folder / "round.evidence"
    words = [str(folder / "pit.ledger"), str(file), "--table", "R1", "--round", "1"]
    assert run(["evidence", "export", *words]) == 0
    return SimpleNamespace(file=file, public=folder / "pit.ledger.checkpoint.pub")


def test_a_file_with_its_trace_proves_the_decision(spin, tmp_path):
    made = exported(tmp_path, spin)
    report = checking.check(made.file, release.read_public(made.public))
    assert report.problems == []
    assert "1 traces replayed by the logic of the device: each" in "\n".join(report.proved)


def test_a_record_that_its_trace_does_not_come_to_is_found(spin, tmp_path):
    """Stored by a host that wrote another pocket: all else fits."""
    made = exported(tmp_path, spin, number=contents(spin).values[0] % 36 + 1)
    wrong = problems(made, made.file.read_bytes(), tmp_path)
    assert any("trace 1, replayed: the database has wheel_result" in each for each in wrong)
