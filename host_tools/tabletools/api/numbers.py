"""Metrics for Prometheus: requests from here, tables and bets from the pit."""

from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from tabletools.cms import SinkStatus
from tabletools.pit.pit import Pit
from tabletools.wallet import Standing

TEXT = "text/plain; version=0.0.4; charset=utf-8"
_COUNTED = (
    ("frames", "Frames received from the table"),
    ("records", "Durable records stored"),
    ("tampered", "Frames refused as forged or replayed"),
    ("missed", "Counters of frames that never came"),
    ("link_lost", "Times the link was lost"),
    ("leases_lost", "Times another host took the table over"),
    ("ledger_failures", "Times the ledger failed under a record"),
    ("defects", "Defects of the program at this table"),
    ("bets_taken", "Bets placed or changed"),
    ("bets_unanswered", "Bets refused because nothing could be booked"),
    ("batches", "Transactions of bets"),
)
_OF_SINKS = (
    (GaugeMetricFamily, "sink_up", "1: it accepts events", lambda one: int(one.state == "up")),
    (GaugeMetricFamily, "sink_waiting", "Events it has not had", lambda one: one.waiting),
    (
        GaugeMetricFamily,
        "sink_lag_seconds",
        "Age of the oldest of these",
        lambda one: one.oldest_s,
    ),
    (GaugeMetricFamily, "sink_dead", "Events that were given up", lambda one: one.dead),
    (CounterMetricFamily, "sink_sent", "Events it took", lambda one: one.sent),
    (CounterMetricFamily, "sink_failed", "Times an event failed", lambda one: one.failed),
)


class Requests:
    """Requests of one host; each host has a separate registry, so that tests may run several."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        names = ("method", "route", "status")
        self._count = Counter(
            "tablewire_requests", "Requests answered", names, registry=self.registry
        )
        self._time = Histogram(
            "tablewire_request_seconds",
            "How long answers took",
            ("route",),
            buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
            registry=self.registry,
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._count.labels(method, route, str(status)).inc()
        if not route.endswith("/live"):
            self._time.labels(route).observe(seconds)

    def text(
        self, pit: Pit, streams: int, sinks: Sequence[SinkStatus], wallet: Standing | None = None
    ) -> bytes:
        """All metrics in the Prometheus format. wallet: the external one, if there is one."""
        registry = CollectorRegistry()
        registry.register(_Tables(pit, streams))
        registry.register(_Sinks(sinks))
        if wallet is not None:
            registry.register(_Wallet(wallet))
        return generate_latest(self.registry) + generate_latest(registry)


class _Tables:
    """Reads the counts of the tables when scraped."""

    def __init__(self, pit: Pit, streams: int) -> None:
        self._pit = pit
        self._streams = streams

    def collect(self) -> Iterable[Metric]:
        """Yield the families."""
        yield GaugeMetricFamily("tablewire_streams", "Live streams open", value=self._streams)
        held = GaugeMetricFamily("tablewire_table_held", "1: this host owns it", labels=["table"])
        linked = GaugeMetricFamily("tablewire_table_online", "1: it answers", labels=["table"])
        opened = GaugeMetricFamily("tablewire_bets_open", "1: bets are open", labels=["table"])
        refused = CounterMetricFamily(
            "tablewire_bets_refused", "Bets refused", labels=["table", "code"]
        )
        for seat in self._pit.seats.values():
            live, name = seat.live, seat.place.name
            held.add_metric([name], int(live.is_held))
            linked.add_metric([name], int(live.is_online))
            opened.add_metric([name], int(live.is_betting))
            for code, count in dict(seat.host.tally.refusals).items():
                refused.add_metric([name, code], count)
        yield from (held, linked, opened, refused)
        for field, meaning in _COUNTED:
            family = CounterMetricFamily(f"tablewire_{field}", meaning, labels=["table"])
            for seat in self._pit.seats.values():
                family.add_metric([seat.place.name], getattr(seat.host.tally, field))
            yield family


class _Sinks:
    """Reports the state of the sinks; a sink that another host feeds is reported by that host."""

    def __init__(self, states: Sequence[SinkStatus]) -> None:
        self._ours = [one for one in states if one.state != "standby"]

    def collect(self) -> Iterable[Metric]:
        """Yield the families."""
        for kind, name, meaning, value in _OF_SINKS:
            family = kind(f"tablewire_{name}", meaning, labels=["sink"])
            for one in self._ours:
                family.add_metric([one.name], value(one))
            yield family


class _Wallet:
    """Reports the state of the external wallet."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    def collect(self) -> Iterable[Metric]:
        """Yield the families."""
        up, what = int(self._standing.is_up), "1: bets of its players are accepted"
        yield GaugeMetricFamily("tablewire_wallet_up", what, value=up)
        waiting = GaugeMetricFamily(
            "tablewire_wallet_open", "Movements that are not final", labels=["state"]
        )
        for state, count in self._standing.open.items():
            waiting.add_metric([state], count)
        requests = CounterMetricFamily(
            "tablewire_wallet_requests", "Requests to it", labels=["kind", "outcome"]
        )
        for (kind, outcome), count in self._standing.requests.items():
            requests.add_metric([kind, outcome], count)
        yield from (waiting, requests)
