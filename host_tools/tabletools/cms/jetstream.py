"""A connection to a nats-server with JetStream, driven by its owner: it has no thread.

Only this file and those that use it know the server's client library.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, NamedTuple, TypeVar

import nats
from nats.aio.client import Client
from nats.errors import ConnectionClosedError, Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg, StreamConfig
from nats.js.errors import NotFoundError

from tabletools.cms.broker import Broker, BrokerError

CONNECT_S = 5.0
ANSWER_S = 10.0
MSG_ID = "Nats-Msg-Id"
_Result = TypeVar("_Result")


class Message(NamedTuple):
    """A message to publish. id: one that the stream has already is not stored again."""

    subject: str
    payload: bytes
    id: str


class Server:
    """One connection; when it fails it is finished, and a new one is made. `close` it."""

    def __init__(self, broker: Broker, name: str) -> None:
        self._broker = broker
        self._name = name
        self._runner = asyncio.Runner()
        self._client: Client | None = None
        self._closed = asyncio.Event()
        self._failure = ""

    def open(self) -> None:
        """Connect. Raises BrokerError."""
        self.run(self._connect())

    def close(self) -> None:
        """Disconnect."""
        client, self._client = self._client, None
        try:
            if client is not None and not client.is_closed:
                # It flushes first, which never ends where the other end reads nothing.
                self._runner.run(asyncio.wait_for(client.close(), CONNECT_S))
        except (TimeoutError, Error, OSError):
            pass  # it was gone already
        finally:
            self._runner.close()

    def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Drive the connection until some work is done. Raises BrokerError."""
        try:
            return self._runner.run(self._until_closed(work))
        except (TimeoutError, Error, OSError) as error:
            why = self._failure or str(error) or type(error).__name__
            raise BrokerError(f"{self._broker.place}: {why}") from error

    @property
    def streams(self) -> JetStreamContext:
        """Its streams, for work that `run` drives."""
        assert self._client is not None
        return self._client.jetstream(timeout=ANSWER_S)

    def drive(self) -> None:
        """Read and write once. Raises BrokerError when the server does not answer."""
        assert self._client is not None
        self.run(self._client.flush(int(CONNECT_S)))

    def publish(self, stream: str, messages: Sequence[Message]) -> list[str]:
        """Publish messages at once and wait until the stream has stored them.

        Returns for each why it can never be stored, "" if it is. Raises BrokerError.
        """
        return self.run(self._publish(stream, messages))

    def last(self, stream: str, subject: str) -> RawStreamMsg | None:
        """Return the newest message of a stream with a subject. Raises BrokerError."""
        return self.run(self._last(stream, subject))

    def first_from(self, stream: str, number: int) -> int | None:
        """Return the first number from one on that a stream has a message of, None: none.

        Raises BrokerError.
        """
        return self.run(self._first_from(stream, number))

    def has_stream(self, name: str) -> bool:
        """Whether there is a stream. Raises BrokerError."""
        return self.run(self._has_stream(name))

    def add_stream(self, config: StreamConfig) -> None:
        """Make a stream. Raises BrokerError."""
        self.run(self.streams.add_stream(config))

    async def _until_closed(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return what work returns; no request waits for a connection that is gone."""
        running, gone = asyncio.ensure_future(work), asyncio.ensure_future(self._closed.wait())
        await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if running.done():
            return running.result()
        running.cancel()
        raise ConnectionClosedError

    async def _connect(self) -> None:
        self._client = await nats.connect(
            f"{'tls' if self._broker.is_tls else 'nats'}://{_bracketed(self._broker.host)}"
            f":{self._broker.port}",
            name=self._name,
            tls=self._broker.context(),
            user=self._broker.user,
            password=self._broker.password,
            connect_timeout=int(CONNECT_S),
            allow_reconnect=False,
            max_reconnect_attempts=1,  # it tries twice before it gives up
            reconnect_time_wait=0,
            error_cb=self._note,
            closed_cb=self._note_closed,
        )

    async def _note(self, error: Exception) -> None:
        """Keep the reason: what ends the work in progress says less."""
        self._failure = str(error) or type(error).__name__

    async def _note_closed(self) -> None:
        self._closed.set()

    async def _publish(self, stream: str, messages: Sequence[Message]) -> list[str]:
        return list(await asyncio.gather(*(self._publish_one(stream, one) for one in messages)))

    async def _publish_one(self, stream: str, message: Message) -> str:
        headers: dict[str, Any] = {MSG_ID: message.id}
        try:
            answer = await self.streams.publish(message.subject, message.payload, headers=headers)
        except MaxPayloadError:
            return f"{message.subject}: {len(message.payload)} bytes are more than it accepts"
        # A header that names the stream would stay with the message: no stream could source it.
        if answer.stream != stream:
            raise Error(f"the stream {answer.stream} has the subjects of {stream}")
        return ""

    async def _last(self, stream: str, subject: str) -> RawStreamMsg | None:
        try:
            return await self.streams.get_last_msg(stream, subject)
        except NotFoundError:
            return None

    async def _first_from(self, stream: str, number: int) -> int | None:
        try:
            message = await self.streams.get_msg(stream, number, subject=">", next=True)
        except NotFoundError:
            return None
        return message.seq

    async def _has_stream(self, name: str) -> bool:
        try:
            await self.streams.stream_info(name)
        except NotFoundError:
            return False
        return True


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
