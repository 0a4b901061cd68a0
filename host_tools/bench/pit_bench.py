"""The running host end to end: from the edge of the ball that closes the bets to a bet refused.

The shipped firmware plays on the VM by the wall clock, 20 ms of it at a time; the host listens
over TCP; a terminal asks for a bet and takes it back, over HTTP, as fast as it is answered. The
edge is that of the model: the last one of the ball's sensors before the table said no more bets.

Beside it is what such bets take in the same run, 99 of 100 of them: table, host and terminal share
the processor then, as they do at the edge. The time of the table itself is left out.
"""

import statistics
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from host_tools.bench.figure import judged, reported
from host_tools.tests.served import Host, french, until
from tableemulator import play_session
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.core.uart import Interrupted, Pace, UartPort
from tableemulator.machines.roulette.physical_wheel import RIM_1, RIM_2, Geometry
from tabletools.cli.emulate.emulate_command import SERIAL
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.messages import BETS_CLOSED

SPINS = 2
OWN_MS = 25
"""Of the table: a step of 20 ms and the bytes of a frame at 115,200 baud."""
MOST_TIMES = 5
SECRET = bytes(range(32))


class Wheel:
    """An emulated table on a TCP port. closings: seconds of the edges that closed the bets."""

    def __init__(self, spins):
        self.closings = []
        self.is_over = False
        self._spins = spins
        self._edges = []
        self._port = UartPort("127.0.0.1")
        self._pace = Pace(self._port, lambda: self.is_over)
        self._receiver = Receiver()
        self._thread = threading.Thread(target=self._play)

    @property
    def url(self):
        return f"socket://127.0.0.1:{self._port.port}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self._thread.join()
        self._port.close()

    def _play(self):
        with play_session.emulated_table(
            Geometry("single", "array"),
            7,
            listen=self._hear,
            pace=self._pace,
            acknowledge=False,
            key=(1, SECRET),
        ) as table:
            events_until = table.wheel.events_until
            table.wheel.events_until = lambda until_us: self._note(events_until(until_us))
            try:
                for _ in range(self._spins):
                    table.spin()
            except Interrupted:
                return

    def _note(self, events):
        self._edges += [
            event[0] for event in events if event[1:3] in (["pin", RIM_1], ["pin", RIM_2])
        ]
        return events

    def _hear(self, when, direction, data):
        if direction != FROM_TABLE:
            return
        self._port.send(data)
        for item in self._receiver.feed(data):
            if isinstance(item, Frame) and item.type == BETS_CLOSED:
                edge_us = max(edge for edge in self._edges if edge <= when)
                self.closings.append(self._pace._start + edge_us / 1e6)


@contextmanager
def pit(folder, spins):
    """A host that holds the wheel, and the client of a terminal with a player."""
    keys = {SERIAL: {1: SECRET}}
    with Wheel(spins) as wheel:
        table = french("R1", wheel.url, SERIAL, rules="hc2011")
        with Host(str(Path(folder) / "ledger"), [table], keys=keys) as host:
            host.user("Sue", "supervisor")
            player = host.terminal(host.login("Sue"), 1, "ada", cents=10**9)
            yield wheel, host, player


def asked(player, answers, over):
    """Ask for a bet, take it back, again and again: (asked at, answered at, taken)."""
    number = 0
    while not over.is_set():
        number += 1
        begun = time.monotonic()
        answer = player.post(
            "/v1/bets",
            json={"bet": "red", "stake_cents": 500},
            headers={"Idempotency-Key": f"lay {number}"},
        )
        answers.append((begun, time.monotonic(), answer.status_code == 201))
        if answer.status_code == 201:
            where = f"/v1/bets/{answer.json()['bet']}"
            player.delete(where, headers={"Idempotency-Key": f"back {number}"})


def measure(spins):
    """Return, for each spin, ms from the edge to the first refusal; and ms of a bet taken."""
    over, answers = threading.Event(), []
    with tempfile.TemporaryDirectory() as folder, pit(folder, spins) as (wheel, _host, player):
        terminal = threading.Thread(target=asked, args=(player, answers, over))
        terminal.start()
        try:
            until(lambda: len(wheel.closings) == spins, seconds=120 * spins)
            until(lambda: answers[-1][0] > wheel.closings[-1] + 1)
        finally:
            over.set()
            terminal.join()
    return [refusal(answers, edge) for edge in wheel.closings], [
        (end - begun) * 1000 for begun, end, is_accepted in answers if is_accepted
    ]


def refusal(answers, edge):
    """The ms from an edge until a bet was refused; those asked for after it all were."""
    later = [(end, is_accepted) for _, end, is_accepted in answers if edge < end < edge + 1]
    first = next(end for end, is_accepted in later if not is_accepted)
    assert not any(is_accepted for end, is_accepted in later if end > first)
    return (first - edge) * 1000


def figures(spins=SPINS):
    """Measure and return the figures: name, value, unit, target, verdict."""
    times, refusal_ms = measure(spins)
    ranks = statistics.quantiles(refusal_ms, n=100)
    refused = "edge of the ball to a bet refused"
    ratio = round((statistics.median(times) - OWN_MS) / ranks[98], 1)
    return [
        judged(
            f"{refused}, times a slow bet",
            ratio,
            "times",
            f"<= {MOST_TIMES}",
            is_met=ratio <= MOST_TIMES,
        ),
        _report_ms(f"{refused}, median", statistics.median(times)),
        _report_ms(f"{refused}, worst of {spins}", max(times)),
        _report_ms("a bet over HTTP, one after the other, median", ranks[49]),
        _report_ms("a bet over HTTP, one after the other, 99 of 100", ranks[98]),
    ]


def _report_ms(name, value):
    return reported(name, round(value, 1), "ms")
