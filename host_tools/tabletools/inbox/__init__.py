"""Durable records of the tables in a file: each stored once before it is acknowledged."""

from tabletools.inbox import order
from tabletools.inbox.collector import Collector
from tabletools.inbox.database import Connection, opened, opened_to_read
from tabletools.inbox.errors import InboxError
from tabletools.inbox.listing import Listing, release
from tabletools.inbox.state import Alarm
from tabletools.inbox.store import Inbox

__all__ = [
    "Alarm",
    "Collector",
    "Connection",
    "Inbox",
    "InboxError",
    "Listing",
    "opened",
    "opened_to_read",
    "order",
    "release",
]
