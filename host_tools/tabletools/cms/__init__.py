"""Output to casino management systems and displays, and input from wheels with a status line.

Only this package knows the broker. Everything sent comes from the ledger's outbox.
"""

from tabletools.cms.broker import Broker
from tabletools.cms.file_sink import FileSink
from tabletools.cms.mail_sink import MailSink
from tabletools.cms.mqtt_sink import MqttSink
from tabletools.cms.outgoing_event import OutgoingEvent
from tabletools.cms.sink_status import SinkStatus
from tabletools.cms.sinks import DeliveryResult, Sink, Sinks, SinkWorker
from tabletools.cms.webhook import WebhookSink

__all__ = [
    "Broker",
    "DeliveryResult",
    "FileSink",
    "MailSink",
    "MqttSink",
    "OutgoingEvent",
    "Sink",
    "SinkStatus",
    "SinkWorker",
    "Sinks",
    "WebhookSink",
]
