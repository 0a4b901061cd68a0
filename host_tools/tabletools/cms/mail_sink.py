"""The sink that is a mailbox: new alarms that are urgent enough, those of one moment in one mail.

Mail is for people who are not at a screen. What is older than an hour is in no mail: after an
outage, or where mail is set up later, the page of alarms says more. Everything else in the outbox
passes unsent.
"""

import smtplib
import ssl
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from email.message import EmailMessage
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from tabletools.cms.outgoing_event import OutgoingEvent
from tabletools.cms.sinks import RETRY_S, DeliveryResult
from tabletools.money.outbox_queries import TableState

RAISED = "tablewire.alarm.raised"
OLDEST_S = 3600.0
TIMEOUT_S = 15.0
_SUBMISSION, _SMTPS, _SMTP = 587, 465, 25
_NAMES = {1: "urgent", 2: "high", 3: "medium", 4: "low"}
_MOST_SUBJECT = 120


class MailServer(NamedTuple):
    """A mail server. is_encrypted: from the first byte; else STARTTLS, except on this machine."""

    host: str
    port: int
    is_encrypted: bool
    user: str = ""
    password_file: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine, so that nothing crosses a network."""
        return self.host in ("localhost", "127.0.0.1", "::1")


def server_of(url: str, user: str = "", password_file: Path | None = None) -> MailServer:
    """Return the server of an address such as smtp://HOST or smtps://HOST. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/"):
        raise ValueError(
            f"{url!r} is not a mail server: smtp://HOST[:PORT] or smtps://HOST[:PORT]"
        )
    if parts.username is not None or parts.password is not None:
        raise ValueError("a mail server has no user in its address: set mail_user")
    if bool(user) != (password_file is not None):
        raise ValueError("mail_user and mail_password_file belong together")
    is_encrypted = parts.scheme == "smtps"
    return MailServer(
        parts.hostname,
        parts.port or (_SMTPS if is_encrypted else _SUBMISSION if user else _SMTP),
        is_encrypted,
        user,
        password_file,
    )


class _AlarmData(msgspec.Struct):
    kind: str
    text: str
    priority: int = 1


class _Alarm(msgspec.Struct):
    """The event of a new alarm. table: None for one of no table."""

    time: str
    data: _AlarmData
    table: int | None = None


class MailSink:
    """One mailbox or list. priority: of the least urgent alarm that is sent.

    connect: makes a session with the server; wall_s: UTC.
    """

    in_waves = False
    most = 200
    retry_s: Sequence[float] = RETRY_S
    is_patient = True

    def __init__(
        self,
        server: MailServer,
        sender: str,
        recipients: Sequence[str],
        *,
        priority: int = 2,
        connect: Callable[[MailServer], smtplib.SMTP] | None = None,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        for address in (sender, *recipients):
            if not _is_address(address):
                raise ValueError(f"{address!r} is not a mail address")
        if not recipients:
            raise ValueError("mail needs at least one recipient: set mail_to")
        self.name = f"mail:{server.host}:{server.port}/{','.join(recipients)}"
        self._server = server
        self._sender = sender
        self._recipients = tuple(recipients)
        self._priority = priority
        self._connect = connect or _connected
        self._wall_s = wall_s

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Send one mail with the alarms among events; the others count as delivered."""
        sent = DeliveryResult()
        alarms = [event for each in events if (event := self._alarm(each)) is not None]
        if alarms:
            try:
                with self._connect(self._server) as session:
                    session.send_message(self._mail(alarms))
            except (OSError, smtplib.SMTPException) as error:
                sent.down = str(error) or type(error).__name__
                return sent
        sent.delivered = [each.number for each in events]
        return sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Nothing to do."""
        return ""

    def close(self) -> None:
        """Nothing is open between two mails."""

    def _alarm(self, event: OutgoingEvent) -> _Alarm | None:
        """Return an alarm that belongs into a mail, None for any other event."""
        if event.type != RAISED:
            return None
        alarm = msgspec.json.decode(event.body, type=_Alarm)
        age_s = self._wall_s() - datetime.fromisoformat(alarm.time).timestamp()
        return alarm if alarm.data.priority <= self._priority and age_s <= OLDEST_S else None

    def _mail(self, alarms: Sequence[_Alarm]) -> EmailMessage:
        mail = EmailMessage()
        first = min((alarm.data for alarm in alarms), key=attrgetter("priority"))
        more = f" and {len(alarms) - 1} more" if len(alarms) > 1 else ""
        subject = f"{_NAMES.get(first.priority, '')} alarm{more}: {_line(first.text)}"
        mail["Subject"] = subject[:_MOST_SUBJECT]
        mail["From"], mail["To"] = self._sender, ", ".join(self._recipients)
        mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: no absence note answers it
        lines = [
            f"{alarm.time}  table {'-' if alarm.table is None else alarm.table}"
            f"  {alarm.data.kind}: {_line(alarm.data.text)}"
            for alarm in alarms
        ]
        mail.set_content("\n".join(lines) + "\n")
        return mail


def _line(text: str) -> str:
    """Return a text in one line: it came from a table, and is part of a header."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _is_address(text: str) -> bool:
    name, _, host = text.rpartition("@")
    return bool(name and host) and text.isascii() and not set(text) & set(' \t\r\n,;<>"')


def _connected(server: MailServer) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.is_encrypted:
        session: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=TIMEOUT_S, context=context
        )
    else:
        session = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
        if not server.is_local:
            session.starttls(context=context)
    if server.password_file is not None:
        session.login(server.user, server.password_file.read_text(encoding="utf-8").strip())
    return session
