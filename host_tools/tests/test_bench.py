"""The bench: every module gives figures, the table is readable, allocations are none."""

from pathlib import Path

import pytest

from hil_tests.controller import program

BENCH = Path(__file__).resolve().parents[1] / "bench"
KEYS = {"name", "value", "unit", "target", "verdict"}


@pytest.fixture
def bench(monkeypatch):
    """The bench modules, as run.py imports them."""
    monkeypatch.syspath_prepend(str(BENCH))
    import decode_bench
    import inbox_bench
    import rig_bench
    import roles_bench

    return {"decode": decode_bench, "inbox": inbox_bench, "rig": rig_bench, "roles": roles_bench}


def test_decode_figures(bench):
    """Both decoders find every frame, with tags and without; a figure compares their rates."""
    *compared, tag = bench["decode"].figures(frames=300)
    assert set(tag) == KEYS
    for ours, theirs, ratio in (compared[:3], compared[3:]):
        assert set(ours) == set(theirs) == set(ratio) == KEYS
        assert ratio["value"] == pytest.approx(ours["value"] / theirs["value"], abs=0.01)
        assert ratio["verdict"] == ("met" if ratio["value"] >= 3 else "short")


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


def test_inbox_figures(bench):
    """Verified records reach the disk and count as settleable, else there is no figure."""
    [figure] = bench["inbox"].figures(rounds=3)
    assert set(figure) == KEYS
    assert figure["value"] > 0


def test_every_role_has_a_rate(bench):
    """One figure a line of the table, judged against its target."""
    found = bench["roles"].figures(rounds=1)
    assert [figure["name"] for figure in found] == [name for name, *_ in bench["roles"].ROLES]
    for figure in found:
        assert set(figure) == KEYS
        assert figure["verdict"] == ("met" if figure["value"] >= figure["target"] else "short")


def test_streams_are_of_like_size(bench):
    """Messages of 20 and 22 bytes, in frames of 49 and 34: the larger frames are ours."""
    decode = bench["decode"]
    assert len(decode.our_stream(10)) == 490
    assert len(decode.their_stream(10)) == 340


def test_the_role_allocates_nothing(bench):
    """The shipped role follows rotor and ball, and frames are sent, without an allocation."""
    assert bench["rig"].allocated(program()) == (0, 0)


def test_every_package_takes_memory(bench):
    """All three are measured: none is forgotten, and all fit the heap."""
    packages = bench["rig"].loaded(program())
    assert list(packages) == ["tablewire", "tablelogic", "tabledev"]
    assert min(packages.values()) > 10 * 1024
    assert sum(packages.values()) < 192 * 1024
