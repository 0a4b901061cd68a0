"""The far ends of the shipped sinks: a management system behind a broker, and one at a webhook.

No socket and no thread: an answer comes while the sink waits for it, in virtual time. An end that
has an event keeps its id, so it knows what comes again, and whether anything explains that.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import io
import json
import os
import random
from collections.abc import Callable
from typing import Any

from tabletools.cms import WebhookSink
from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.mqtt import Line, Message
from tabletools.cms.mqtt_sink import MqttSink
from tabletools.cms.sinks import Sink
from tabletools.store import Clock

SECRET = bytes(range(32))
URL = "https://events.example/hook"
BROKER = Broker("broker.example", 8883)
LOST = 0.02
"""Share of events after which an end goes away without an answer."""
_SILENT, _NEVER_WRITTEN = os.pipe()
"""The two ends of a line on which nothing comes."""
REFUSED = 0.01
_QUOTA, _ACCEPTED = 0x97, 0x00


class ManagementSystem:
    """Keeps each event once. had: attributes and data of each, in the order they came.

    may_repeat: whether anything since a time explains that an event comes again although it was
    acknowledged. is_down: nobody answers.
    """

    def __init__(self, name: str, seed: str, may_repeat: Callable[[int], bool]) -> None:
        self.name = name
        self.is_down = False
        self.had: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.repeats = 0
        self.draw = random.Random(f"{seed}/sink/{name}")
        self._answered_us: dict[str, int | None] = {}  # id: when it was acknowledged, None: never
        self._newest: dict[int | None, str] = {}
        self._may_repeat = may_repeat

    def take(self, body: bytes) -> str:
        """Keep an event; returns its id."""
        event = json.loads(body)
        ident, table, sequence = event["id"], event.get("table"), event["sequence"]
        if ident in self._answered_us:
            self.repeats += 1
            answered_us = self._answered_us[ident]
            if answered_us is not None and not self._may_repeat(answered_us):
                self.problems.append(f"{self.name}: event {ident} came again for no reason")
            return str(ident)
        if sequence <= self._newest.get(table, ""):
            newest = self._newest[table]
            self.problems.append(f"{self.name}: event {ident}, {sequence}, came after {newest}")
        self._answered_us[ident] = None
        self._newest[table] = max(sequence, self._newest.get(table, ""))
        self.had.append(event)
        return str(ident)

    def answered(self, ident: str, now_us: int) -> None:
        """Acknowledge an event to its sender."""
        self._answered_us[ident] = now_us

    @property
    def goes_away(self) -> bool:
        """Whether it goes away now, without an answer."""
        return self.draw.random() < LOST

    @property
    def refuses(self) -> bool:
        """Whether it refuses what comes now."""
        return self.draw.random() < REFUSED


class NightWebhook:
    """The endpoint of a webhook: it verifies the signature, written a second time here."""

    def __init__(self, system: ManagementSystem, clock: Clock) -> None:
        self.system = system
        self._clock = clock

    def sink(self) -> Sink:
        """Return the shipped sink that posts to it, as one host has it."""
        return WebhookSink(
            URL,
            [SECRET],
            wall_s=lambda: self._clock.wall_ns() / 1e9,
            connect=lambda: _HttpConnection(self),
        )

    def answer(self, request: bytes) -> bytes:
        """Return what it sends back, nothing if it hangs up."""
        system = self.system
        head, body = request.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")[1:]
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        if system.is_down:
            return b""
        if system.refuses:
            return _status(503)
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        digest = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
        if fields["webhook-signature"] != f"v1,{digest}":
            system.problems.append(f"{system.name}: an event with another signature")
            return _status(401)
        ident = system.take(body)
        if system.goes_away:
            return b""
        system.answered(ident, self._clock.mono_ns() // 1000)
        return _status(204)


def _status(number: int) -> bytes:
    return f"HTTP/1.1 {number} -\r\nContent-Length: 0\r\n\r\n".encode()


class _HttpConnection(http.client.HTTPConnection):
    """A connection to the endpoint, in memory."""

    def __init__(self, webhook: NightWebhook) -> None:
        super().__init__("events.example")
        self._webhook = webhook

    def connect(self) -> None:
        if self._webhook.system.is_down:
            raise ConnectionRefusedError(111, "Connection refused")
        self.sock = _HttpSocket(self._webhook)


class _HttpSocket:
    """As much of a socket as http.client asks for."""

    def __init__(self, webhook: NightWebhook) -> None:
        self._webhook = webhook
        self._sent = b""

    def sendall(self, data: bytes) -> None:
        self._sent += data

    def fileno(self) -> int:
        """What comes is an answer: nothing follows one by itself."""
        return _SILENT

    def makefile(self, _mode: str) -> io.BytesIO:
        request, self._sent = self._sent, b""
        return io.BytesIO(self._webhook.answer(request))

    def close(self) -> None:
        """Nothing is open."""


class NightBroker:
    """A broker with one reader, who has what was acknowledged."""

    def __init__(self, system: ManagementSystem, clock: Clock) -> None:
        self.system = system
        self.clock = clock

    def sink(self) -> Sink:
        """Return the shipped sink that publishes to it, as one host has it."""
        return MqttSink(
            BROKER,
            host="pit",
            wall_ns=self.clock.wall_ns,
            connect=lambda _broker, _ident, will: _BrokerLine(self),
        )


class _BrokerLine(Line):
    """A connection to the broker, in memory."""

    def __init__(self, broker: NightBroker) -> None:
        self.answers: dict[int, int] = {}
        self.most = 20
        self._far_end = broker
        self._sent: list[tuple[int, Message]] = []
        self._number = 0

    def open(self) -> None:
        """Connect."""
        self._verify()

    def publish(self, message: Message) -> int:
        """Send a message; returns its number."""
        self._number += 1
        self._sent.append((self._number, message))
        return self._number

    def drive(self, timeout_s: float = 0.0) -> None:
        """Let the broker take and answer what was sent."""
        self._verify()
        sent, self._sent = self._sent, []
        answers = [self._take(message) for _, message in sent]
        for (number, _), ident in zip(sent, answers, strict=True):
            self.answers[number] = _QUOTA if ident is None else _ACCEPTED
            if ident:
                self._far_end.system.answered(ident, self._far_end.clock.mono_ns() // 1000)

    def wait(self, is_done: Callable[[], bool], seconds: float = 0.0) -> None:
        """Drive until something is so."""
        while not is_done():
            self.drive()

    def close(self) -> None:
        """Say goodbye."""

    def drop(self) -> None:
        """Hang up."""

    def _take(self, message: Message) -> str | None:
        """Returns the id of an event that is here now, "" for what is none, None if refused."""
        system = self._far_end.system
        if "/event/" not in message.topic:
            return ""
        if system.refuses:
            return None
        ident = system.take(message.payload)
        if system.goes_away:
            raise BrokerError("the connection was lost")
        return ident

    def _verify(self) -> None:
        if self._far_end.system.is_down:
            raise BrokerError("nobody answers")
