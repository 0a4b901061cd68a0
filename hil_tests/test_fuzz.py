"""The fuzzing finds what is planted, tells how to see it again, and its corpus stays harmless."""

from __future__ import annotations

import dataclasses
import random
import struct

import pytest

from hil_tests.fuzz import __main__ as program
from hil_tests.fuzz import corpus, input_search
from hil_tests.fuzz.input_search import ROOT, Crash, Target, search
from hil_tests.fuzz.mutate import mutate
from hil_tests.fuzz.wire_targets import vectors
from hil_tests.test_soak import Here
from hil_tests.thinned import soaked, thinned
from tabledev.app.commands import Commands
from tabledev.app.outbox import SLOT_BYTES, Outbox
from tabletools.decode import record_sources
from tabletools.rules.declared import replaced
from tabletools.settle import json_lines
from tabletools.table.intake import Intake
from tablewire import codec, framing, slots

TARGETS = program.TARGETS
SEARCHED = [name for name, target in TARGETS.items() if target.watched]
HERE = "hil_tests/test_fuzz.py"


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_does_no_harm(name):
    """Every input kept, and every one that once crashed something, passes its check."""
    for data in thinned(corpus.read(name), 10):
        TARGETS[name].check(data)


def test_every_search_keeps_a_corpus():
    """Of inputs that reach much, each once; no folder is left of a target that is gone."""
    folders = {path.parent.name for path in corpus.FOLDER.rglob("*.hex")}
    assert folders <= TARGETS.keys()
    for name in SEARCHED:
        inputs = corpus.inputs(corpus.FOLDER / name / corpus.FILE)
        assert 1 <= len(inputs) == len(set(inputs)) <= program.MOST_INPUTS


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_watched_is_there(name):
    """A file that moved away would leave its target blind."""
    assert all((ROOT / watched).exists() for watched in TARGETS[name].watched)


# A planted bug in a test double --------------------------------------------------------------


def brittle(data: bytes) -> None:
    """A reader that breaks on one input in 2^40: five bytes in a row."""
    if data[:1] != b"\x80":
        return
    if data[1:2] != b"\xfa":
        return
    if data[2:3] != b"\xfe":
        return
    if data[3:4] != b"\x7f":
        return
    if data[4:5] == b"\x25":
        raise KeyError("planted")


def double(check=brittle, watched=(HERE,), **more):
    return Target("double", check, lambda: [bytes(8)], mutate, watched, **more)


def test_lines_reached_lead_to_the_bug():
    """One step after the other is found and kept; a blind search of the same length finds none."""
    result = search(double(), 1, [], executions=40_000)
    [crash] = result.crashes
    assert crash.data == b"\x80\xfa\xfe\x7f\x25"
    assert crash.what == "KeyError: 'planted'"
    assert crash.where.rsplit(" < ", 1)[-1].startswith(f"{HERE}:")
    assert search(double(watched=()), 1, [], executions=40_000).crashes == []


def test_the_same_seed_is_the_same_search():
    """Input for input; another seed is another search."""
    first, again, other = (search(double(), seed, [], executions=3000) for seed in (1, 1, 2))
    assert (first.inputs, first.lines) == (again.inputs, again.lines)
    assert first.inputs != other.inputs


def test_a_check_that_does_not_end_is_a_crash():
    """It is ended at its limit, though it swallows every exception."""

    def endless(_data):
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    result = search(double(endless, limit_s=0.01), 1, [b"a", b"b"], executions=3)
    [crash] = result.crashes
    assert crash.what == "Hang: the check did not end"


def test_a_crash_is_made_small():
    """Of a thousand bytes the two that matter are left, in a limited number of tries."""
    tries = []

    def fragile(data):
        tries.append(data)
        if b"\xaa" in data and b"\xbb" in data:
            raise ValueError("both")

    big = random.Random(1).randbytes(500) + b"\xaa" + bytes(500) + b"\xbb" + bytes(20)
    result = search(double(fragile, watched=()), 1, [big], executions=2)
    assert sorted(result.crashes[0].data) == [0xAA, 0xBB]
    assert len(tries) <= 2 + input_search.SHRINKS


# A planted bug in the product ----------------------------------------------------------------


def unchecked_sum(patch):
    patch.setattr(codec, "crc32", lambda _body, _seed: codec.RESIDUE)


def unknown_flags(patch):
    patch.setattr(codec, "_ALL_FLAGS", 255)


def endless_tail(patch):
    patch.setattr(framing, "_MAX_STUFFED", 1 << 30)


def lax_slot(patch):
    real = slots.unpack_slot
    patch.setattr(slots, "unpack_slot", lambda k, data: real(k, data) or real(k, data[:-1]))


def a_damaged_line_twice_as_long(patch):
    real = record_sources._damage
    patch.setattr(record_sources, "_damage", lambda item: real(item) | {"length": 2 * item.length})


def a_cent_too_much(patch):
    real = json_lines.settle

    def settle(played):
        return [replaced(line, back=line.back + (line.stake % 7 == 3)) for line in real(played)]

    patch.setattr(json_lines, "settle", settle)


def repeat_before_store(patch):
    real = Intake.store
    patch.setattr(Intake, "store", lambda me, f, *more: bool(f.flags & 8) or real(me, f, *more))


def any_boot(patch):
    def take(me, frame):
        handler = me._handlers.get(frame.type)
        other = me._others.get(frame.type)
        if handler is not None and frame.device == me._store.serial:
            handler(frame)
        elif other is not None and frame.device == me._store.serial:
            other(frame, me._refuse)
        elif frame.type == 0x40:
            me._reports.identity(frame.values[0])

    patch.setattr(Commands, "take", take)


def forgets_the_wrong_record(patch):
    def acknowledge(me, boot, counter):
        if real(me, boot, counter) or not me.waiting:
            return True
        oldest = SLOT_BYTES * me._head + 9
        return real(me, *struct.unpack_from("<II", me._data, oldest))

    real = Outbox.acknowledge
    patch.setattr(Outbox, "acknowledge", acknowledge)


PLANTED = [
    ("wire", unchecked_sum, 60, "the dissector reads"),
    ("wire", unknown_flags, 300, "the dissector reads"),
    ("wire", endless_tail, 2000, "kept without limit"),
    ("slots", lax_slot, 20000, "AssertionError"),
    ("capture", a_damaged_line_twice_as_long, 2000, "AssertionError"),
    ("settle", a_cent_too_much, 2000, "stake"),
    ("collecting", repeat_before_store, 300, "acknowledged and not stored"),
    *soaked([("night", unchecked_sum, 300, "could be settled as")]),  # 73 nights, 20 s
    ("commands", any_boot, 200, "changed by what is no command"),
    ("commands", forgets_the_wrong_record, 200, "a record is gone"),
]


@pytest.mark.parametrize(("name", "plant", "budget", "message"), PLANTED)
@pytest.mark.one_in(2)
def test_a_planted_bug_is_found(name, plant, budget, message, monkeypatch):
    """By the mutations of its target alone, without corpus or guide, and said for what it is."""
    target = dataclasses.replace(TARGETS[name], watched=())
    monkeypatch.setattr(input_search, "SHRINKS", 2)
    plant(monkeypatch)
    result = search(target, 1, [], executions=budget, crashes=1)
    [crash] = result.crashes
    assert message in crash.what


# On file and on screen -----------------------------------------------------------------------


def test_a_crash_is_kept_and_read_again(tmp_path):
    """As hex under notes of how it was found; in a file of its own that keeps its name."""
    crash = Crash(b"\0\xff", "ValueError: no\nline", "a.py:1 < b.py:2")
    path = corpus.write_crash("wire", crash, "how it was found", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert text == "# how it was found\n# ValueError: no line\n# a.py:1 < b.py:2\n00ff\n"
    assert corpus.write_crash("wire", crash, "again", tmp_path) == path
    corpus.write_kept("wire", [b"", b"a"], tmp_path)
    assert corpus.read("wire", tmp_path) == [b"\0\xff", b"", b"a"]
    assert corpus.read("slots", tmp_path) == []


def test_the_command_tells_seed_and_file(tmp_path, monkeypatch, capsys):
    """Exit code 1 with a crash, its input in the corpus; 0 without; 2 for what is not known."""
    monkeypatch.setattr(program, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(program, "TARGETS", {"double": double()})
    monkeypatch.setattr(corpus, "FOLDER", tmp_path)
    assert program.main(["--executions", "300", "--keep"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("double         300 executions")
    assert f"    {HERE} " in printed
    inputs = corpus.inputs(tmp_path / "double" / corpus.FILE)
    assert inputs
    assert program.main(["--executions", "40000", "--seed", "1"]) == 1
    printed = capsys.readouterr().out
    assert "fuzz: CRASH in double (seed 1): KeyError: 'planted'" in printed
    [path] = (tmp_path / "double").glob("crash_*.hex")
    assert corpus.inputs(path) == [b"\x80\xfa\xfe\x7f\x25"]
    with pytest.raises(SystemExit) as ended:
        program.main(["nothing"])
    assert ended.value.code == 2


def test_the_hand_written_frames_lead_the_search():
    """Every message of the wire is among the first inputs."""
    receiver = framing.Receiver(0)
    heard = {item.type for item in receiver.feed(vectors()[0]) if isinstance(item, codec.Frame)}
    assert heard == set(codec.LAYOUTS)
