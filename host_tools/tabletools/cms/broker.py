"""Where a broker is, and our identity there: the same for MQTT and NATS."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit


class BrokerError(Exception):
    """The broker is unreachable, or refuses us; as one line."""


class Scheme(NamedTuple):
    """Of an address. port: the usual one."""

    port: int
    is_tls: bool


MQTT = {"mqtt": Scheme(1883, False), "mqtts": Scheme(8883, True)}
NATS = {"nats": Scheme(4222, False), "tls": Scheme(4222, True)}


@dataclass(frozen=True)
class Broker:
    """Where a broker is, and our identity. certificate, key: of this client, for TLS."""

    host: str
    port: int
    is_tls: bool = False
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def from_url(cls, url: str, schemes: dict[str, Scheme] | None = None, **more: Any) -> "Broker":
        """Return the broker of SCHEME://HOST[:PORT]; raises ValueError. schemes: or MQTT's."""
        schemes = schemes or MQTT
        parts = urlsplit(url)
        if parts.scheme not in schemes or not parts.hostname:
            forms = " or ".join(f"{scheme}://HOST[:PORT]" for scheme in schemes)
            raise ValueError(f"{url!r} is not a broker: {forms}")
        if parts.password is not None:
            raise ValueError("a URL must not contain a password: others can read it")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise ValueError(f"{url!r} has more than a host and a port")
        scheme = schemes[parts.scheme]
        if not scheme.is_tls and (more.get("authority") or more.get("certificate")):
            encrypted = next(name for name, one in schemes.items() if one.is_tls)
            raise ValueError(
                f"{url!r} is not encrypted, so a certificate has no effect: use {encrypted}://"
            )
        user = more.pop("user", None) or (parts.username and unquote(parts.username))
        return cls(parts.hostname, parts.port or scheme.port, scheme.is_tls, user=user, **more)

    @property
    def place(self) -> str:
        """Host and port, for display."""
        return f"{self.host}:{self.port}"

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context. Raises BrokerError for invalid files."""
        if not self.is_tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.authority and str(self.authority))
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except (OSError, ValueError) as error:
            raise BrokerError(f"certificates: {error}") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.sslsocket_class = _Socket
        return context


class _Socket(ssl.SSLSocket):
    """Closed if the handshake fails; otherwise the library of MQTT forgets it."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise
