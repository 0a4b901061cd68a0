"""The bench: every module gives figures, the table is readable, nothing is allocated."""

from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

import pytest

from hil_tests.thinned import soak_only
from tableemulator.shipped_controller import program

BENCH = Path(__file__).resolve().parents[1] / "bench"
KEYS = {"name", "value", "unit", "target", "verdict"}


def batches(items, size):
    """The items in runs of a size."""
    return [items[start : start + size] for start in range(0, len(items), size)]


@pytest.fixture
def bench(monkeypatch):
    """The bench modules, as run.py imports them."""
    monkeypatch.syspath_prepend(str(BENCH))
    import collect_bench
    import decode_bench
    import heap_bench
    import play_bench
    import rig_bench
    import verify_bench

    return {
        "decode": decode_bench,
        "heap": heap_bench,
        "collect": collect_bench,
        "rig": rig_bench,
        "play": play_bench,
        "verify": verify_bench,
    }


def test_decode_figures(bench):
    """Both decoders find every frame, with tags and without; a figure compares their rates."""
    *compared, tag = bench["decode"].figures(frames=300)
    assert set(tag) == KEYS
    for ours, theirs, ratio in (compared[:3], compared[3:]):
        assert set(ours) == set(theirs) == set(ratio) == KEYS
        assert ratio["value"] == pytest.approx(ours["value"] / theirs["value"], abs=0.01)
        # The verdict is by the ratio before it is rounded to 3.00, which may be either.
        assert ratio["value"] == 3 or ratio["verdict"] == (
            "met" if ratio["value"] > 3 else "short"
        )


def test_both_decoders_refuse_a_forged_tag(bench):
    """What is compared is verified: under another key neither gives a frame."""
    decode = bench["decode"]
    forged = decode.our_stream(3, decode.Mac(bytes(32)))
    with pytest.raises(AssertionError):
        decode.our_seconds([forged], 3, decode.Mac(decode.KEY))
    signed = bytearray(decode.their_stream(1, signed=True))
    signed[-1] ^= 1
    with pytest.raises(decode.mavlink.MAVError, match="signature"):
        decode.their_seconds([bytes(signed)], 1, signed=True)


def test_collect_figures(bench):
    """Verified records reach the disk and count as settleable, else there is no figure."""
    [figure] = bench["collect"].figures(rounds=3)
    assert set(figure) == KEYS
    assert figure["value"] > 0


@soak_only
def test_what_a_newcomer_waits_for_is_measured(bench):
    """The first line and the whole evening, each beside the start of another program."""
    first, first_s, whole, whole_s = bench["play"].figures("--only", "money_wheel")
    assert (first["target"], whole["target"]) == ("<= 2", "<= 45")
    assert min(first["value"], whole["value"]) > 0
    assert 0 < first_s["value"] < whole_s["value"]


def test_verifying_is_measured_with_one_process_and_two(bench):
    """On a ledger that is sound, or there is no figure."""
    one, two, more = bench["verify"].figures(rounds=3)
    assert set(one) == set(two) == set(more) == KEYS
    assert min(one["value"], two["value"], more["value"]) > 0


def test_every_role_is_measured_in_bare_tables(bench, monkeypatch):
    """A ratio with its target, what it is made of and the speed; then the bare table itself."""
    rig = bench["rig"]
    monkeypatch.setattr(rig, "costs", lambda load, rounds, peer: rig.Cost(0.06, 0.04, 0.02))
    monkeypatch.setattr(rig, "bare_table", lambda: nullcontext(lambda: 0.0005))
    monkeypatch.setattr(rig, "closings_ms", lambda spins: [18.0, 20.0, 51.0])
    *figures, bare, worst, middle = rig.figures()
    assert (worst["value"], worst["target"], worst["verdict"]) == (51.0, "<= 50", "short")
    assert "worst of 3" in worst["name"]
    assert (middle["value"], middle["verdict"]) == (20.0, "reported")
    assert bare == {**bare, "value": 30.0, "unit": "ms", "verdict": "reported"}
    for load, (ratio, firmware, machine, speed) in zip(
        rig.ROLES, batches(figures, 4), strict=True
    ):
        assert set(ratio) == set(firmware) == set(machine) == set(speed) == KEYS
        assert load.name in ratio["name"]
        assert (ratio["value"], firmware["value"], machine["value"]) == (3.0, 60.0, 40.0)
        assert speed["value"] == load.virtual_s * 10
        assert ratio["verdict"] == (
            "reported" if load.most is None else "met" if load.most >= 3 else "short"
        )


def test_no_more_bets_takes_a_step_and_the_bytes_of_a_line(bench):
    """A frame of some 60 bytes at 115,200 baud takes 5 ms, and a step is 20 ms."""
    [closing] = bench["rig"].closings_ms(1)
    assert 4 < closing < 30


def test_the_bare_table_never_changes(bench):
    """It is the unit of figures of other days: its text has the sum that it had at first."""
    rig = bench["rig"]
    assert sha256(rig.PEER.read_bytes()).hexdigest()[:16] == "0527e9aeff355a38"
    assert (rig.PEER_LINES, rig.EDGE_US) == ((2, 3), 20_000)


def test_a_round_and_the_bare_table_take_time_on_the_same_machine(bench, monkeypatch):
    """One round of one role, truly played."""
    rig = bench["rig"]
    monkeypatch.setattr(rig, "PEER_WARM_UP_S", 1)
    with rig.bare_table() as peer:
        cost = rig.costs(rig.ROLES[2], 1, peer)
    assert min(cost) > 0


def test_streams_are_of_like_size(bench):
    """Messages of 24 and 22 bytes, in frames of 61 and 34: the larger frames are ours."""
    decode = bench["decode"]
    assert len(decode.our_stream(10)) == 610
    assert len(decode.their_stream(10)) == 340


def test_the_role_allocates_nothing(bench):
    """The shipped role follows rotor and ball, and frames are sent, without an allocation."""
    assert bench["heap"].allocation(program()) == (0, 0)


def test_every_package_takes_memory(bench):
    """All three are measured: none is forgotten, and all fit the heap."""
    packages = bench["heap"].load_bytes(program())
    assert list(packages) == ["tablewire", "tablelogic", "tabledev"]
    assert min(packages.values()) > 10 * 1024
    assert sum(packages.values()) < 192 * 1024
