"""An external wallet over HTTP: one connection, one request at a time.

Requests are signed, and so are answers: over the id and time of their request, so that no earlier
answer and no other server can answer it.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabletools.errors import UNREACHABLE, ToolError
from tabletools.money.wallet_transfers import Transfer
from tabletools.wallet import messages
from tabletools.wallet.messages import Answer, Entry
from tabletools.web_endpoint import Endpoint, Exchange, Unreachable, signature, signed_headers

_MOST_OF_STATEMENT = 4 * 1024 * 1024
_MOST_PAGES, _MOST_ENTRIES = 10_000, 2_000_000


class HttpWallet:
    """The wallet at an address. key_secrets: shared with it, the newest first."""

    def __init__(
        self,
        url: str,
        key_secrets: Sequence[bytes],
        *,
        timeout_s: float,
        authority: Path | None = None,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        """authority: certificates trusted to be the wallet's. Raises ValueError."""
        if not key_secrets:
            raise ValueError("a wallet needs a secret to sign with")
        self._endpoint = Endpoint(url, timeout_s=timeout_s, authority=authority)
        self._secrets = tuple(key_secrets)
        self._wall_s = wall_s

    def move(self, kind: str, transfer: Transfer) -> Answer:
        """Request a movement of money. kind: DEBIT, CREDIT or REVERSAL."""
        request = messages.request_of(kind, transfer)
        try:
            body = self._answer_to(request, transfer.key, messages.MOST_BYTES)
        except (Unreachable, ValueError) as error:
            return Answer(messages.UNKNOWN, str(error))
        return messages.answer_of(body, request)

    def trouble(self) -> str:
        """Return why the wallet does not work, empty if it does."""
        try:
            body = self._answer_to({"kind": messages.HEALTH}, _fresh_ident(), messages.MOST_BYTES)
            fields = messages.fields_of(body, messages.MOST_BYTES)
        except (Unreachable, ValueError) as error:
            return str(error)
        is_well = (fields.get("kind"), fields.get("status")) == (messages.HEALTH, messages.DONE)
        return "" if is_well else "it says that it does not work"

    def statement(self, day: str) -> Iterator[Entry]:
        """Yield the movements of a gaming day. Raises ToolError."""
        after: str | None = None
        left = _MOST_ENTRIES
        for _ in range(_MOST_PAGES):
            request = {"kind": messages.STATEMENT, "day": day, "after": after}
            try:
                body = self._answer_to(request, _fresh_ident(), _MOST_OF_STATEMENT)
                entries, following = messages.statement_of(body, day, _MOST_OF_STATEMENT)
            except (Unreachable, ValueError) as error:
                what = f"the wallet gave no statement of {day}: {error}"
                raise ToolError(
                    what, where=self._endpoint.name, step="try again", exit_code=UNREACHABLE
                ) from error
            yield from entries
            left -= len(entries)
            if following is None:
                return
            if following == after or left < 0:
                break
            after = following
        raise ToolError(f"the statement of {day} does not end", where=self._endpoint.name)

    def cut(self) -> None:
        """End a request that another thread waits for; what the wallet did is unknown."""
        self._endpoint.cut()

    def close(self) -> None:
        """Disconnect."""
        self._endpoint.close()

    def _answer_to(self, request: Mapping[str, Any], ident: str, most: int) -> bytes:
        """Return the authentic answer to a request. Raises Unreachable, ValueError."""
        kind = request.get("kind")
        body, timestamp = messages.body_of(request), int(self._wall_s())
        headers = signed_headers(self._secrets, ident, timestamp, body)
        headers |= {"content-type": "application/json", "idempotency-key": ident}
        target = f"{self._endpoint.target.rstrip('/')}/{kind}"
        answer = self._endpoint.exchange("POST", target, body, headers, most=most + 1)
        if answer.status != 200:
            self.close()
            raise ValueError(f"answered {answer.status}")
        try:
            self._verify(answer, ident, timestamp)
        except ValueError:
            self.close()  # the answer to this request may still come, and answers no other
            raise
        return answer.body

    def _verify(self, answer: Exchange, ident: str, timestamp: int) -> None:
        """Raise ValueError unless the wallet signed an answer to this request."""
        signed = answer.headers.get("webhook-signature", "").split(" ")
        expected = signature(self._secrets, ident, timestamp, answer.body).split(" ")
        for one in signed:
            if any(hmac.compare_digest(one.encode(), own.encode()) for own in expected):
                return
        raise ValueError("the answer is not signed by the wallet, or answers another request")


def _fresh_ident() -> str:
    return secrets.token_hex(16)
