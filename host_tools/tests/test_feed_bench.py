"""The bench of sinks: every event arrives, else there is no figure."""

from pathlib import Path

from host_tools.tests import mosquitto

BENCH = Path(__file__).resolve().parents[1] / "bench"


def test_feed_figures(monkeypatch):
    """One figure into a file, and four to a broker where there is one."""
    monkeypatch.syspath_prepend(str(BENCH))
    import feed_bench

    figures = feed_bench.figures(events=80)
    assert len(figures) == 1 + 4 * (mosquitto.binary() is not None)
    for figure in figures:
        assert set(figure) == {"name", "value", "unit", "target", "verdict"}
        assert figure["value"] > 0
