"""A man in the middle without a key, between the shipped firmware on the VM and a pit over TCP.

Both attacks paid money before frames had an age. By the wall clock, as the line is real.
"""

import queue
import secrets
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from host_tools.tests.served import Host, french, until
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.play_session import emulated_table
from tabletools.cli.main import run
from tabletools.keys import Keyring
from tabletools.link.freshness import NS
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.cobs import unstuff

DEVICE = 1382865454
# How long after the true moment of no-more-bets a bet may still be accepted.
GRACE_S = 1.25


def header(wire):
    """(type, flags) of one frame with its delimiter; (0, 0) of anything else."""
    body = unstuff(wire[:-1])
    return (0, 0) if body is None or len(body) < 31 else (body[1], body[2])


class Line:
    """Carries bytes between a table and whoever connects; what passes is up to `attack`.

    attack(frame): called with every frame of the table, delimiter included; returns what goes on
    to the host now. from_host(frame): the same the other way. closed_at: when the true bets_closed
    of the round came out of the table.
    """

    def __init__(self, table_port):
        self.attack = lambda frame: frame
        self.from_host = lambda frame: frame
        self.closed_at = None
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._table = socket.create_connection(("127.0.0.1", table_port))
        self._host = None
        self._lock = threading.Lock()
        self.is_over = False
        for work in (self._accept, self._from_table):
            threading.Thread(target=work, daemon=True).start()

    def send(self, data):
        """Bytes to the host."""
        with self._lock, suppress(OSError):  # the host may have gone
            if self._host is not None and data:
                self._host.sendall(data)

    def close(self):
        self.is_over = True
        for end in (self._server, self._table, self._host):
            if end is not None:
                end.close()

    def _accept(self):
        while not self.is_over:
            try:
                self._host, _ = self._server.accept()
                self._pump(self._host, lambda frame: self.from_host(frame), self._table.sendall)
            except OSError:
                return

    def _from_table(self):
        def pass_on(frame):
            ident, flags = header(frame)
            if ident == m.BETS_CLOSED and not flags & m.FLAG_RETRANSMITTED:
                self.closed_at = time.monotonic()
            return self.attack(frame)

        self._pump(self._table, pass_on, self.send)

    @staticmethod
    def _pump(source, change, target):
        rest = b""
        try:
            while data := source.recv(4096):
                *frames, rest = (rest + data).split(b"\0")
                for frame in frames:
                    target(change(frame + b"\0"))
        except OSError:
            return


class Pit:
    """A keyed roulette table of the shipped firmware, a line to attack, and a pit."""

    def __init__(self, place):
        self._stack = ExitStack()
        keys = str(place / "keys.json")
        assert run(["keys", "new", str(DEVICE), "--keys", keys]) == 0
        words = ["emulate", "roulette", "--serve", "127.0.0.1:0", "--key", keys, "--seed", "5"]
        program = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]
        table = subprocess.Popen([*program, *words], stdout=subprocess.PIPE, text=True)
        self._stack.enter_context(table)
        self._stack.callback(table.kill)
        self.line = Line(int(table.stdout.readline().split(":")[-1]))
        self._stack.callback(self.line.close)
        settings = [french("R1", self.line.url, device=DEVICE)]
        known = {DEVICE: Keyring(Path(keys)).keys_of(DEVICE)}
        self.host = self._stack.enter_context(
            Host(str(place / "ledger"), settings, keys=known, stale_after_ns=NS)
        )
        [self.table] = self.host.pit.seats
        self.host.user("Sue", "supervisor")
        self.sue = self.host.login("Sue")
        self.ada = self.host.terminal(self.sue, self.table, "ada")
        self.accepted = {}  # bet: when it was sent, and when its answer came

    def close(self):
        self._stack.close()

    @property
    def facts(self):
        return self.host.pit.seat(self.table).live.facts

    def bet(self):
        """Place a bet on red now; returns whether it was accepted."""
        slip = {"bet": "red", "stake_cents": 500}
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        sent_at = time.monotonic()
        answer = self.ada.post("/v1/bets", json=slip, headers=headers)
        if answer.status_code == 201:
            self.accepted[answer.json()["bet"]] = sent_at, time.monotonic()
        return answer.status_code == 201

    def bet_until(self, moment):
        """Place four bets a second until moment() is true."""
        while not moment():
            self.bet()
            threading.Event().wait(0.2)

    def alarms(self):
        return {alarm["kind"] for alarm in self.sue.get("/v1/alarms").json()["alarms"]}

    def late(self):
        """The bets sent after the true no-more-bets and accepted, none later than the grace.

        One that was sent before it may be in time, however late its answer comes.
        """
        closed_at = self.line.closed_at
        assert max(at for _, at in self.accepted.values()) < closed_at + GRACE_S
        bets = {bet for bet, (sent_at, _) in self.accepted.items() if sent_at > closed_at}
        assert len(bets) < len(self.accepted)
        return bets

    def verify_settled(self, late):
        """The round ends, and none of the bets that came late is paid by itself."""
        until(lambda: self.facts["results"], 90)
        bets = {row["id"]: row for row in self.ada.get("/v1/bets").json()["bets"]}
        assert {bets[bet]["standing"] for bet in late} <= {"referred"}
        assert not any(bets[bet].get("win_cents") for bet in late)


@pytest.fixture
def pit(tmp_path):
    with closing(Pit(tmp_path)) as attacked_pit:
        yield attacked_pit


@pytest.mark.parametrize("seconds", [2.0, 6.0, 22.0])
def test_a_forged_frame_undoes_no_round(seconds):
    """From no-more-bets on the round is finished first, its number right; then the table locks."""

    def intrude(plan):
        plan.add_incident(seconds, lambda table: table.intrude())

    with emulated_table(Geometry("single"), 5, key=(1, bytes(range(32)))) as table:
        table.wait_for_host()
        played = table.spin(intrude, "a forged frame")
        assert played.ended.type == roulette.WHEEL_RESULT
        assert str(played.ended.values[0]) == played.pocket
        assert played.faults == (codes.LINK_TAMPERED,)


def after(pit, seconds):
    """Whether so long has passed since the true no-more-bets."""
    closed_at = pit.line.closed_at
    return closed_at is not None and time.monotonic() > closed_at + seconds


@pytest.mark.waits
def test_hold_back_and_replay(pit):
    """One lost acknowledgement makes a repeat, which is replayed while the truth is held back."""
    line, repeats, held = pit.line, [], []
    until(lambda: pit.facts["link"] == "online", 60)
    line.from_host = lambda frame: b"" if header(frame)[0] == m.ACKNOWLEDGE else frame

    def attack(frame):
        ident, flags = header(frame)
        if flags & m.FLAG_RETRANSMITTED:
            repeats.append(frame)
        if ident == m.BETS_CLOSED or held:
            held.append(frame)
            return b"".join(repeats[:1])
        return frame

    def release(frame):
        wire = b"".join((*held, frame))
        held.clear()
        return wire

    line.closed_at = None
    line.attack = attack
    until(lambda: pit.facts["bets_open"], 60)
    pit.bet_until(lambda: after(pit, 6))
    assert repeats
    assert "link_stale" in pit.alarms()
    late = pit.late()
    line.from_host = lambda frame: frame
    line.attack = release
    pit.verify_settled(late)


@pytest.mark.waits
def test_growing_delay(pit):
    """Everything genuine and in order, half a second later with every second."""
    line, waiting, released = pit.line, queue.SimpleQueue(), threading.Event()
    until(lambda: pit.facts["bets_open"], 60)
    begun = time.monotonic()

    def deliver():
        for due_us, frame in iter(waiting.get, None):
            released.wait(max(due_us - time.monotonic(), 0))
            line.send(frame)

    def attack(frame):
        now = time.monotonic()
        waiting.put((now + (now - begun) / 2, frame))
        return b""

    line.closed_at = None
    line.attack = attack
    threading.Thread(target=deliver, daemon=True).start()
    pit.bet_until(lambda: after(pit, 6))
    assert "link_stale" in pit.alarms()
    late = pit.late()
    released.set()
    pit.verify_settled(late)
    line.attack = lambda frame: frame
    waiting.put(None)
