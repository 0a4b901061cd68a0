"""The bench of sinks: every event arrives, else there is no figure."""

from pathlib import Path

from host_tools.tests import mosquitto, nats_server

BENCH = Path(__file__).resolve().parents[1] / "bench"


def test_feed_figures(monkeypatch):
    """One figure into a file, four to a broker and two to a stream, where there is one."""
    monkeypatch.syspath_prepend(str(BENCH))
    import feed_bench

    figures = feed_bench.figures(events=80)
    brokers = 4 * (mosquitto.binary() is not None) + 2 * (nats_server.binary() is not None)
    assert len(figures) == 1 + brokers
    for figure in figures:
        assert set(figure) == {"name", "value", "unit", "target", "verdict"}
        assert figure["value"] > 0
