"""The sinks of a running host: those in its settings, each fed on a separate thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tabletools.background import in_background
from tabletools.cli.feed import broker_of, nats_sink, secrets_of
from tabletools.cms import FileSink, MailSink, MqttSink, Sink, Sinks, WebhookSink
from tabletools.cms.broker import MQTT, NATS, Broker, BrokerError, Scheme
from tabletools.cms.mail_sink import server_of
from tabletools.cms.mqtt_sink import Topics
from tabletools.cms.origin import Origin, origin_of
from tabletools.cms.sinks import Say, verify_apart
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings
from tabletools.store import Store


def sinks_of(settings: Settings) -> list[Sink]:
    """Return the sinks in the settings. Raises ToolError."""
    sinks: list[Sink] = []
    try:
        origin = _origin(settings)
        if settings.mqtt:
            broker = _broker(settings, "mqtt", MQTT)
            waits = settings.mqtt_wait_for_reader
            sinks.append(MqttSink(broker, topics=Topics(settings.mqtt_prefix), needs_reader=waits))
        if settings.nats:
            sinks.append(nats_sink(_broker(settings, "nats", NATS), origin))
        for url in settings.webhooks:
            sinks.append(WebhookSink(url, secrets_of(_path(settings.webhook_secrets))))
        if settings.mail:
            password = _path(settings.mail_password_file)
            server = server_of(settings.mail, settings.mail_user, password)
            people, least = settings.mail_to, settings.mail_priority
            sinks.append(MailSink(server, settings.mail_from, people, priority=least))
        if settings.events_file:
            sinks.append(FileSink(Path(settings.events_file)))
        verify_apart(sinks)
    except (ValueError, OSError, BrokerError) as error:
        step = "correct the settings; see docs/SERVE.md"
        raise ToolError(str(error), where="sinks", step=step) from error
    return sinks


def _origin(settings: Settings) -> Origin:
    return origin_of(settings.events_source, settings.site, settings.pit)


def _broker(settings: Settings, name: str, schemes: dict[str, Scheme]) -> Broker:
    """Return the broker in the settings that begin with a name."""
    url, ca, certificate, key, user, password = (
        str(getattr(settings, f"{name}{field}"))
        for field in ("", "_ca", "_certificate", "_key", "_user", "_password_file")
    )
    files = (_path(ca), _path(certificate), _path(key))
    return broker_of(url, files, user or None, _path(password), schemes)


@contextmanager
def feeding(ledger: Store, settings: Settings, say: Say) -> Iterator[Sinks]:
    """Feed the sinks of a host until the block ends. say: its log."""
    sinks = Sinks(ledger, sinks_of(settings), origin=_origin(settings), say=say)
    with in_background(sinks.run, "sinks"):
        yield sinks


def _path(text: str) -> Path | None:
    return Path(text) if text else None
