"""A connection to a nats-server with JetStream, driven by its owner: it has no thread.

Only this file and those that use it know the server's client library.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg, StreamConfig
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError

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


class _Answers:
    """What a stream answers to messages that were published at once, all in one inbox.

    A request for each, as the library makes it, takes twice the CPU: a task and two timers.
    """

    def __init__(self, stream: str) -> None:
        self.waiting: set[str] = set()
        """Subjects of the answers that have not come."""
        self._stream = stream
        self._refusal = ""
        self._has_news = asyncio.Event()

    def note(self, answer: Msg) -> None:
        """Note an answer."""
        if answer.subject in self.waiting:
            self.waiting.discard(answer.subject)
            self._refusal = self._refusal or self._refusal_of(answer)
            self._has_news.set()

    async def all(self) -> None:
        """Wait until every message is stored. Raises Error, TimeoutError."""
        while self.waiting and not self._refusal:
            self._has_news.clear()
            await asyncio.wait_for(self._has_news.wait(), ANSWER_S)
        if self._refusal:
            raise Error(self._refusal)

    def _refusal_of(self, answer: Msg) -> str:
        """Return why a message is not stored where it has to be, "" if it is."""
        if not answer.data:  # no stream has its subject
            return str(NoStreamResponseError())
        fields = msgspec.json.decode(answer.data)
        if (error := fields.get("error")) is not None:
            return str(APIError.from_error(error))
        # A header that names the stream would stay with the message: no stream could source it.
        if (stream := fields.get("stream")) != self._stream:
            return f"the stream {stream} has the subjects of {self._stream}"
        return ""


class Server:
    """One connection; when it fails it is finished, and a new one is made. `close` it."""

    def __init__(self, broker: Broker, name: str) -> None:
        self._broker = broker
        self._name = name
        self._runner = asyncio.Runner()
        self._client: Client | None = None
        self._closed = asyncio.Event()
        self._failure = ""
        self._inbox = ""
        self._answers: _Answers | None = None

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
            f"{'tls' if self._broker.is_tls else 'nats'}://{_with_brackets(self._broker.host)}"
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
        assert self._client is not None
        if not self._inbox:
            self._inbox = self._client.new_inbox()
            await self._client.subscribe(f"{self._inbox}.*", cb=self._note_answer)
        reasons = [""] * len(messages)
        self._answers = answers = _Answers(stream)
        for number, one in enumerate(messages):
            reply = f"{self._inbox}.{number}"
            answers.waiting.add(reply)
            try:
                await self._client.publish(one.subject, one.payload, reply, {MSG_ID: one.id})
            except MaxPayloadError:
                answers.waiting.discard(reply)
                size = len(one.payload)
                reasons[number] = f"{one.subject}: {size} bytes are more than it accepts"
        await answers.all()
        return reasons

    async def _note_answer(self, answer: Msg) -> None:
        if self._answers is not None:
            self._answers.note(answer)

    async def _last(self, stream: str, subject: str) -> RawStreamMsg | None:
        try:
            return await self.streams.get_last_msg(stream, subject)
        except NotFoundError:
            return None

    async def _has_stream(self, name: str) -> bool:
        try:
            await self.streams.stream_info(name)
        except NotFoundError:
            return False
        return True


def _with_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host
