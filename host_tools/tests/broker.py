"""A test client of the broker; its session survives a disconnect if the test wants that."""

import json

from tabletools.cms.broker import Broker
from tabletools.cms.mqtt import Line


class Reader:
    """Keeps what it was sent: (topic, message) in order of arrival."""

    def __init__(self, broker, topic="#", *, ident="reader", session_s=0):
        self.heard = []
        self._line = Line(broker, ident, session_s=session_s, on_message=self._hear)
        self._line.open()
        self._line.subscribe(topic)

    def _hear(self, message):
        self.heard.append(message)
        self._line.acknowledge(message)

    def until(self, is_done, seconds=20.0):
        """Read until something is so; raises BrokerError after that long."""
        self._line.wait(lambda: is_done(self), seconds)
        return self

    @property
    def events(self):
        """The ids of events, in order of arrival."""
        documents = [json.loads(one.payload) for one in self.heard if "/event/" in one.topic]
        return [one["id"] for one in documents]

    def messages(self, ending):
        """The messages received on topics with this ending."""
        return [json.loads(one.payload) for one in self.heard if one.topic.endswith(ending)]

    def close(self):
        self._line.close()


def plain(broker):
    """A broker of the tests without encryption."""
    return Broker.from_url(broker.url)
