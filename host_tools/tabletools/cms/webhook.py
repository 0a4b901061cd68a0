"""The sink that is a web address: each event is posted, signed as in Standard Webhooks.

A slow or broken endpoint delays only itself.
"""

import http.client
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tabletools.cms.outgoing_event import CONTENT_TYPE, OutgoingEvent
from tabletools.cms.sinks import DeliveryResult
from tabletools.money.outbox_queries import TableState
from tabletools.web_endpoint import Endpoint, Unreachable, signed_headers

TIMEOUT_S = 15.0
# After the last one an event is given up: a little more than three days.
RETRY_S = (
    5.0,
    30.0,
    120.0,
    600.0,
    1800.0,
    7200.0,
    18_000.0,
    36_000.0,
    50_400.0,
    72_000.0,
    86_400.0,
)


def message_id(event: OutgoingEvent) -> str:
    """Return the `webhook-id` of an event: its id, without the point that would end it there."""
    return event.id.replace(".", "_")


class WebhookSink:
    """One endpoint. secrets: the newest first. wall_s: UTC, for the signed timestamp.

    connect: makes a connection to the endpoint, None: one over the network.
    """

    in_waves = True
    most = 20
    retry_s: Sequence[float] = RETRY_S
    is_patient = False

    def __init__(
        self,
        url: str,
        secrets: Sequence[bytes],
        *,
        name: str = "",
        authority: Path | None = None,
        timeout_s: float = TIMEOUT_S,
        wall_s: Callable[[], float] = time.time,
        connect: Callable[[], http.client.HTTPConnection] | None = None,
    ) -> None:
        if not secrets:
            raise ValueError("a webhook needs a secret to sign with")
        self._endpoint = Endpoint(url, timeout_s=timeout_s, authority=authority, connect=connect)
        self.name = name or f"webhook:{self._endpoint.name}"
        self._secrets = tuple(secrets)
        self._wall_s = wall_s

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Post events one after the other, until the endpoint is unreachable."""
        sent = DeliveryResult()
        for one in events:
            try:
                status = self._post(one)
            except Unreachable as error:
                sent.down, sent.interrupted = str(error), one.number
                return sent
            if 200 <= status < 300:
                sent.delivered.append(one.number)
            else:
                sent.failed[one.number] = f"answered {status}{_meaning(status)}"
        return sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Nothing to do."""
        return ""

    def close(self) -> None:
        """Disconnect."""
        self._endpoint.close()

    def _post(self, one: OutgoingEvent) -> int:
        """Post one event; returns the status of the answer. Raises Unreachable."""
        ident, timestamp = message_id(one), int(self._wall_s())
        headers = signed_headers(self._secrets, ident, timestamp, one.body)
        headers |= {"content-type": CONTENT_TYPE}
        target = self._endpoint.target
        return self._endpoint.exchange("POST", target, one.body, headers, most=4096).status


def _meaning(status: int) -> str:
    if 300 <= status < 400:
        return ": a redirect, which is not followed"
    return ""
