"""The live link to a table: a session without I/O, and a thin shell of pyserial around it."""

import tablespec.host_tables  # noqa: F401  (every role's messages, checked quicker)
from tabletools.link.conversation import (
    ANSWERED,
    LOST,
    REFUSED,
    SILENT,
    Conversation,
    Exchange,
    Request,
)
from tabletools.link.delivery import Store
from tabletools.link.duplicates import Contradiction, OnceStore
from tabletools.link.events import Event, FrameRefused, Notice, Received, Tampered, Unread
from tabletools.link.far_end import FarEnd, probe
from tabletools.link.frame_log import FrameLog, Logged
from tabletools.link.link_states import CLOSED, OFFLINE, ONLINE, TAKEN, WAITING
from tabletools.link.port import Link, Port, PortError, open_port
from tabletools.link.session import NotOnline, Session
from tabletools.link.session_trust import Keys, Proof
from tabletools.link.trace_fetch import Fetch

__all__ = [
    "ANSWERED",
    "CLOSED",
    "LOST",
    "OFFLINE",
    "ONLINE",
    "REFUSED",
    "SILENT",
    "TAKEN",
    "WAITING",
    "Contradiction",
    "Conversation",
    "Event",
    "Exchange",
    "FarEnd",
    "Fetch",
    "FrameLog",
    "FrameRefused",
    "Keys",
    "Link",
    "Logged",
    "NotOnline",
    "Notice",
    "OnceStore",
    "Port",
    "PortError",
    "Proof",
    "Received",
    "Request",
    "Session",
    "Store",
    "Tampered",
    "Unread",
    "open_port",
    "probe",
]
