"""Live streams: a snapshot, then every change; a client that returns gets what it missed."""

import json
import socket
import threading
from urllib.parse import urlsplit

from host_tools.tests.served import until
from tabletools.pit.live import MOST_EVENTS, LiveTable


class Stream:
    """Reads a stream in a thread. events: (id, kind, data) in their order."""

    def __init__(self, client, path, last=""):
        self.events = []
        self.is_over = False
        self._open = client.stream("GET", path, headers={"Last-Event-ID": last}, timeout=30)
        self._answer = self._open.__enter__()
        assert self._answer.status_code == 200
        assert self._answer.headers["content-type"].startswith("text/event-stream")
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self):
        fields = {}
        for line in self._answer.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                self.events.append((fields["id"], fields["event"], json.loads(fields["data"])))
                fields = {}
        self.is_over = True

    def state(self):
        """The events folded into one state, as a page does."""
        state = {}
        for _, kind, data in list(self.events):
            state = dict(data["state"]) if kind == "snapshot" else state | data["changed"]
        return state

    def close(self):
        self._answer.close()


def test_a_round_is_reported_as_it_is_played(floor):
    """Bets open, a bet is placed, bets close, 7 falls: each is seen, without a gap."""
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    stream = Stream(sue, f"/v1/tables/{floor.table}/live")
    until(lambda: stream.events)
    assert stream.events[0][1] == "snapshot"
    assert stream.events[0][2]["state"]["bets_open"] is False
    floor.open()
    until(lambda: stream.state()["bets_open"])
    ada.post("/v1/bets", json={"bet": "red", "stake_cents": 500}, headers={"Idempotency-Key": "a"})
    until(lambda: stream.state()["stake_cents"] == 500)
    floor.shut()
    floor.fall(7)
    until(lambda: stream.state()["results"])
    until(lambda: stream.state()["stake_cents"] == 0)  # settled money is no stake in play
    assert stream.state()["results"][0]["outcome"] == {"pocket": "7"}
    assert stream.state()["closed_by"] == "ball_detected"
    numbers = [int(ident.rpartition("-")[2]) for ident, _, _ in stream.events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_the_stream_of_all_tables_ends_when_the_host_stops(floor):
    """One snapshot a table; the end is not cut off by force."""
    stream = Stream(floor.host.login("Sue"), "/v1/live")
    until(lambda: stream.events)
    assert stream.events[0][2]["table"] == floor.table
    assert "tablewire_streams 1.0" in floor.host.client().get("/metrics").text
    floor.host.server.end()
    until(lambda: stream.is_over)


def test_who_comes_back_gets_what_it_missed(floor):
    """With the id of an event of this run: those after it, no snapshot; of another run: all."""
    sue = floor.host.login("Sue")
    path = f"/v1/tables/{floor.table}/live"
    first = Stream(sue, path)
    until(lambda: first.events)
    floor.open()
    until(lambda: first.state()["bets_open"])
    last = first.events[0][0]
    again = Stream(sue, path, last)
    until(lambda: again.events)
    assert again.events[0] == first.events[1]
    other = Stream(sue, path, "another-1")
    until(lambda: other.events)
    assert other.events[0][1] == "snapshot"


def test_a_stream_ends_with_its_login(floor, monkeypatch):
    """The login is checked again with every event: after it ends the stream gets no more."""
    monkeypatch.setattr("tabletools.api.live_routes.CHECK_S", 0.05)
    sue = floor.host.login("Sue")
    stream = Stream(sue, "/v1/live")
    until(lambda: stream.events)
    assert sue.post("/v1/logout").status_code == 204
    until(lambda: stream.is_over)


class Still:
    def wall_ns(self):
        return 5


def test_events_are_kept_for_a_while():
    """A gap that is longer than what is kept is filled by a snapshot."""
    live = LiveTable({"a": 0}, "run", Still())
    for number in range(1, MOST_EVENTS + 2):
        live.say(a=number)
    live.say(a=MOST_EVENTS + 1)  # nothing new
    heard = []
    missed = live.listen(heard.append, "run-1")
    assert [event.data["changed"]["a"] for event in missed] == list(range(2, MOST_EVENTS + 2))
    [snapshot] = live.listen(lambda event: None, "run-0")
    assert snapshot == (
        f"run-{MOST_EVENTS + 1}",
        "snapshot",
        {"at_ns": 5, "state": {"a": MOST_EVENTS + 1}},
    )
    assert live.listen(lambda event: None, f"run-{MOST_EVENTS + 1}") == []
    live.say(a=-1)
    live.leave(heard.append)
    live.say(a=-2)
    assert [event.data["changed"] for event in heard] == [{"a": -1}]


def test_a_login_has_a_limit_of_streams(floor):
    """Four at once; the fifth is refused with the reason, another login is not."""
    sue, dan = floor.host.login("Sue"), floor.host.login("Dan")
    streams = [Stream(sue, "/v1/live") for _ in range(4)]
    until(lambda: floor.host.state.streams.total() == 4)
    refused = sue.get("/v1/live")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
    assert refused.json()["detail"] == "this login has 4 live streams open"
    streams.append(Stream(dan, "/v1/live"))
    floor.host.server.end()
    until(lambda: all(stream.is_over for stream in streams))
    until(lambda: not floor.host.state.streams)


def test_idle_connections_keep_nobody_out(floor, monkeypatch):
    """Fifty of them, whole, begun or in a body, where eight are allowed: the host answers, and the
    stream goes on."""
    monkeypatch.setattr("tabletools.api.protocol.MOST_CONNECTIONS", 8)
    stream = Stream(floor.host.login("Sue"), "/v1/live")
    until(lambda: stream.events)
    parts = urlsplit(floor.host.url)
    begun = f"POST /v1/login HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 9\r\n\r\n"
    idle = []
    for number in range(50):
        idle.append(socket.create_connection((parts.hostname, parts.port)))
        idle[-1].sendall(("", "POST", begun)[number % 3].encode())
    assert floor.host.client().get("/v1/ready").json()["status"] == "ready"
    assert len(floor.host.server.server_state.connections) <= 8
    floor.open()
    until(lambda: stream.state()["bets_open"])
    for one in idle:
        one.close()
