"""To casino management systems and displays, and from wheels that speak a status line.

Only this room knows the broker. What is sent comes out of the ledger's outbox alone.
"""

from tabletools.cms.events import Letter
from tabletools.cms.jsonl import FileSink
from tabletools.cms.mqtt import Broker
from tabletools.cms.mqtt_sink import MqttSink
from tabletools.cms.sinks import Feed, Sent, Sink, Sinks
from tabletools.cms.standing import Standing
from tabletools.cms.webhook import WebhookSink

__all__ = [
    "Broker",
    "Feed",
    "FileSink",
    "Letter",
    "MqttSink",
    "Sent",
    "Sink",
    "Sinks",
    "Standing",
    "WebhookSink",
]
