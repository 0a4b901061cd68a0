"""A connection to a broker, MQTT 5, driven by its owner: it has no thread.

Only this file and those that use it know the broker's client library.
"""

import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from paho.mqtt.client import MQTT_ERR_SUCCESS, Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tabletools.cms.broker import Broker, BrokerError

KEEPALIVE_S = 15
CONNECT_S = 5.0
MANY = 65_535  # in flight, when the broker states no limit


class Will(NamedTuple):
    """What the broker publishes when we disappear without a word; retained."""

    topic: str
    payload: bytes


class Message(NamedTuple):
    """A message to publish. about: user properties."""

    topic: str
    payload: bytes
    content_type: str
    retain: bool = False
    expiry_s: int | None = None
    about: Mapping[str, str] = {}


class _PublishProperties(Properties):
    """The properties of a PUBLISH, packed at once (MQTT 5.0, 3.3.2.3).

    Those of the library take 70 us a message: each name is looked up for each value. Only what the
    library does with those of a PUBLISH, to pack them, is done here.
    """

    def __init__(self, message: Message) -> None:
        pairs = b"".join(
            b"\x26" + _text(name) + _text(value) for name, value in message.about.items()
        )
        packed = _constant(message.content_type, message.expiry_s) + pairs
        object.__setattr__(self, "_packed", _length(len(packed)) + packed)

    def pack(self) -> bytes:
        """Return their length and the properties as sent."""
        packed: bytes = object.__getattribute__(self, "_packed")
        return packed

    def __str__(self) -> str:
        return self.pack().hex()


@cache
def _constant(content_type: str, expiry_s: int | None) -> bytes:
    """Return the properties that are the same for many messages."""
    expiry = b"" if expiry_s is None else b"\x02" + expiry_s.to_bytes(4, "big")
    return b"\x01\x01" + expiry + b"\x03" + _text(content_type)


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data


def _length(count: int) -> bytes:
    """Return a variable byte integer (1.5.5)."""
    data = bytearray()
    while True:
        count, low = divmod(count, 128)
        data.append(low | (0x80 if count else 0))
        if not count:
            return bytes(data)


class Line:
    """One connection; when it fails it is finished, and a new one is made.

    client_id: two connections with one id disconnect each other. session_s: how long the broker
    stores what we missed; 0 for nothing. on_message: called for each message; with it the caller
    acknowledges.
    """

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        *,
        will: Will | None = None,
        session_s: int = 0,
        on_message: Callable[[MQTTMessage], None] | None = None,
    ) -> None:
        self.answers: dict[
            int, int
        ] = {}  # message: reason code of the broker, above 127 a refusal
        self.most = MANY
        self.granted: list[int] | None = None  # reason codes of our subscription
        self._broker = broker
        self._session_s = session_s
        self._refusal = ""
        self._is_up = False
        self._client = Client(
            CallbackAPIVersion.VERSION2,
            client_id,
            protocol=MQTTv5,
            manual_ack=on_message is not None,
        )
        self._client.max_inflight_messages_set(0)  # `most` is the limit of the broker
        self._client.connect_timeout = CONNECT_S
        context = broker.context()
        if context is not None:
            self._client.tls_set_context(context)
        if broker.user is not None:
            self._client.username_pw_set(broker.user, broker.password)
        if will is not None:
            self._client.will_set(will.topic, will.payload, qos=1, retain=True)
        self._client.on_connect = self._on_connect
        self._client.on_publish = self._on_publish
        self._client.on_subscribe = self._on_subscribe
        self._client.on_disconnect = self._on_disconnect
        if on_message is not None:
            self._client.on_message = lambda _client, _data, message: on_message(message)

    def open(self) -> None:
        """Connect. Raises BrokerError."""
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = self._session_s
        host, port, first = self._broker.host, self._broker.port, self._session_s == 0
        try:
            self._client.connect(host, port, KEEPALIVE_S, clean_start=first, properties=properties)
        except (OSError, ValueError) as error:
            self.drop()
            raise BrokerError(f"{self._broker.place}: {error}") from error
        self.wait(lambda: self._is_up)

    def publish(self, message: Message) -> int:
        """Send a message with QoS 1; returns its number, for `answers`. Raises BrokerError."""
        answer = self._client.publish(
            message.topic,
            message.payload,
            1,
            message.retain,
            properties=_PublishProperties(message),
        )
        if answer.rc != MQTT_ERR_SUCCESS:
            raise self._lost()
        self.answers.pop(answer.mid, None)  # of an earlier message with the same number
        return answer.mid

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic and wait for the answer. Raises BrokerError."""
        self.granted = None
        self._client.subscribe(topic, qos=1)
        self.wait(lambda: self.granted is not None)
        codes: list[int] = self.granted or []
        refused = [code for code in codes if code > 127]
        if refused:
            raise BrokerError(f"{self._broker.place}: may not read {topic} (code {refused[0]})")

    def acknowledge(self, message: MQTTMessage) -> None:
        """Acknowledge a message that is stored here."""
        self._client.ack(message.mid, message.qos)

    def drive(self, timeout_s: float = 0.0) -> None:
        """Read and write once. Raises BrokerError when the connection is gone."""
        if self._client.loop(timeout_s) != MQTT_ERR_SUCCESS or self._refusal:
            raise self._lost()

    def wait(self, is_done: Callable[[], bool], seconds: float = CONNECT_S) -> None:
        """Drive until a condition holds. Raises BrokerError when it takes too long."""
        end = time.monotonic() + seconds
        while not is_done():
            left = end - time.monotonic()
            if left <= 0:
                self.drop()
                raise BrokerError(f"{self._broker.place}: no answer within {seconds:g} s")
            self.drive(min(left, 0.2))

    def close(self) -> None:
        """Disconnect properly: the will is not published."""
        self._client.disconnect()
        self.drop()

    def drop(self) -> None:
        """Close the socket without a word: the broker publishes the will."""
        socket = self._client.socket()
        if socket is not None:
            self._client._sock_close()

    def _lost(self) -> BrokerError:
        self.drop()
        return BrokerError(f"{self._broker.place}: {self._refusal or 'the connection was lost'}")

    # --- called by the library -------------------------------------------------------------------

    def _on_connect(
        self, _client: Any, _data: Any, _flags: Any, code: Any, properties: Any
    ) -> None:
        if code.is_failure:
            self._refusal = f"refused: {code}"
            return
        self.most = int(getattr(properties, "ReceiveMaximum", MANY))
        self._is_up = True

    def _on_publish(
        self, _client: Any, _data: Any, number: int, code: Any, _properties: Any
    ) -> None:
        self.answers[number] = int(code.value)

    def _on_subscribe(self, _client: Any, _data: Any, _number: int, codes: Any, _: Any) -> None:
        self.granted = [int(code.value) for code in codes]

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, code: Any, _: Any) -> None:
        if code.is_failure and not self._refusal:
            self._refusal = f"disconnected: {code}"
