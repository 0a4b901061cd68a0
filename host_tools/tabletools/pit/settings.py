"""The settings of a host with defaults and limits, and its tables.

Every setting is declared here once; the reader of files, the example and the checks follow it.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

HELD_CENTS = 10_000_000
"""hc2023 1:1(14), hc2011 1:1(15): from this amount on the house may delay a payout."""


class Setting(NamedTuple):
    """One key of a file. kind: its type; low, high: of a number; default None: required."""

    name: str
    kind: type
    default: Any
    meaning: str
    low: int = 0
    high: int = 0


HOST = (
    Setting("db", str, "", "file of SQLite or URL of PostgreSQL; empty: the user's data folder"),
    Setting("keys", str, "", "keyring of the tables; empty: the user's own"),
    Setting("host", str, "127.0.0.1", "address to listen on"),
    Setting("port", int, 0, "port to listen on; 0: a free one", 0, 65535),
    Setting("public", bool, False, "listen beyond this machine; needs TLS"),
    Setting("tls_certificate", str, "", "file of the certificate chain, PEM"),
    Setting("tls_key", str, "", "file of its key, PEM"),
    Setting("behind_proxy", bool, False, "a proxy in front terminates TLS"),
    Setting("names", list, (), "names it is reached by; empty: this machine's loopback name"),
    Setting(
        "session_hours", int, 12, "time after which a login or a player's session ends", 1, 24
    ),
    Setting("idle_minutes", int, 60, "time after which an unused login ends", 1, 1440),
    Setting("seat_idle_minutes", int, 30, "time after which a seat without a bet ends", 1, 240),
    Setting(
        "day_ends_hour", int, 6, "hour of local time at which the day and every seat end", 0, 23
    ),
    Setting(
        "lock_after", int, 5, "failed logins in a row that lock a name for one address", 3, 20
    ),
    Setting("lock_minutes", int, 15, "how long it is locked", 1, 1440),
    Setting("session_key", str, "", "file of the key of logins; empty: beside the ledger"),
    Setting("oidc_issuer", str, "", "identity provider users log in by, https://...; empty: none"),
    Setting("oidc_client", str, "", "this host's client number there"),
    Setting("oidc_secret_file", str, "", "file with its secret; empty: a public client"),
    Setting("oidc_redirect", str, "", "address of this host, https://.../v1/sign-on/answer"),
    Setting("oidc_roles", list, (), "role of each group: GROUP=ROLE"),
    Setting("oidc_groups_claim", str, "groups", "claim of the ID token that has the groups"),
    Setting("oidc_name_claim", str, "preferred_username", "claim that has the user's name"),
    Setting("oidc_decides", bool, False, "a user of the provider decides by signing on again"),
    Setting("oidc_ca", str, "", "certificates trusted to be the provider's"),
    Setting("batch_ms", int, 5, "time within which bets share one transaction", 0, 20),
    Setting("lease_s", int, 10, "time after which a dead host loses its tables", 3, 60),
    Setting(
        "payout_release_cents",
        int,
        HELD_CENTS,
        "what a player may be paid in 24 hours before two users have to release a payout",
        1,
        HELD_CENTS,
    ),
    Setting("house", str, "", "name and address of the casino, printed on receipts"),
    Setting("metrics_token", str, "", "token needed to read /metrics; empty: this machine only"),
    Setting("manifest", str, "", "signed release that the tables must run; empty: no attestation"),
    Setting("release_key", str, "", "public key of its signer"),
    Setting(
        "checkpoint_key", str, "", "private key that signs checkpoints; empty: beside the ledger"
    ),
    Setting(
        "checkpoint_file", str, "", "file they are added to, best on another machine; empty: same"
    ),
    Setting("checkpoint_s", int, 60, "time between two checkpoints", 10, 86400),
    Setting("event_days", int, 90, "days after which delivered events are removed", 7, 36500),
    Setting("request_days", int, 30, "days a repeated request gets the same answer", 7, 36500),
    Setting("events_source", str, "urn:tablewire:pit", "name of this ledger in its events"),
    Setting("site", str, "", "site of an estate: its events are from /SITE/PIT/table/N"),
    Setting("pit", str, "", "pit of the site, one for each ledger; empty: main"),
    Setting("offers", str, "", "folder of signed offers of the centre; empty: it offers nothing"),
    Setting("offers_key", str, "", "public key of the centre"),
    Setting("host_name", str, "", "name with which it owns tables; empty: that of the machine"),
    Setting("hosts", list, (), "where each host of the database is: HOST_NAME=https://ADDRESS"),
    Setting("events_file", str, "", "file of JSON Lines the events go to; empty: none"),
    Setting("mqtt", str, "", "broker the events go to, mqtts://HOST; empty: none"),
    Setting("mqtt_prefix", str, "tablewire", "first part of every topic"),
    Setting("mqtt_ca", str, "", "certificates trusted to be the broker's"),
    Setting("mqtt_certificate", str, "", "certificate shown to the broker"),
    Setting("mqtt_key", str, "", "its key"),
    Setting("mqtt_user", str, "", "user at the broker"),
    Setting("mqtt_password_file", str, "", "file with that user's password"),
    Setting("mqtt_wait_for_reader", bool, True, "a result waits until the broker has a reader"),
    Setting("nats", str, "", "server of the site the events go to, tls://HOST; empty: none"),
    Setting("nats_ca", str, "", "certificates trusted to be that server's"),
    Setting("nats_certificate", str, "", "certificate shown to it"),
    Setting("nats_key", str, "", "its key"),
    Setting("nats_user", str, "", "user at the server"),
    Setting("nats_password_file", str, "", "file with that user's password"),
    Setting("webhooks", list, (), "web addresses the events go to"),
    Setting("webhook_secrets", str, "", "file of the secrets that sign them, one per line"),
    Setting("wallet", str, "", "external wallet of the players, https://...; empty: the ledger"),
    Setting("wallet_secrets", str, "", "file of the secrets shared with it, one per line"),
    Setting("wallet_ca", str, "", "certificates trusted to be the wallet's"),
    Setting("wallet_timeout_s", int, 3, "time after which a request to it has failed", 1, 10),
    Setting("mail", str, "", "server that new alarms are mailed by, smtps://HOST; empty: none"),
    Setting("mail_from", str, "", "address the mails are from"),
    Setting("mail_to", list, (), "addresses they go to"),
    Setting("mail_priority", int, 2, "least urgent alarm that is mailed; 1: urgent", 1, 4),
    Setting("mail_user", str, "", "user at the mail server"),
    Setting("mail_password_file", str, "", "file with that user's password"),
)
FILES = (
    "keys",
    "tls_certificate",
    "tls_key",
    "manifest",
    "release_key",
    "offers_key",
    "checkpoint_key",
    "mqtt_ca",
    "mqtt_certificate",
    "mqtt_key",
    "mqtt_password_file",
    "nats_ca",
    "nats_certificate",
    "nats_key",
    "nats_password_file",
    "webhook_secrets",
    "wallet_secrets",
    "wallet_ca",
    "oidc_secret_file",
    "oidc_ca",
    "mail_password_file",
)
"""Settings of a host that name a file which has to be there."""
TABLE = (
    Setting("name", str, None, "what people call it"),
    Setting("port", str, None, "device path or socket://HOST:PORT"),
    Setting("device", int, None, "serial number of its controller", 1, 2**32 - 1),
    Setting("game", str, None, "roulette, big_wheel, ... (docs/SETTLE.md)"),
    Setting("rules", str, None, "edition of the rules, such as hc2023"),
    Setting("variant", str, "", "such as french"),
    Setting("currency", str, "EUR", "three letters"),
    Setting(
        "void_policy", str, "refund", "what happens to a new bet of a void round: refund or stand"
    ),
    Setting("limits", dict, {}, "limits of bets, cents (docs/SETTLE.md)"),
    Setting("options", dict, {}, "options of the game (docs/SETTLE.md)"),
    Setting("configuration", dict, {}, "values its configuration must have, by key (PROTOCOL.md)"),
    Setting(
        "dice_reading", str, "", "who reads dice: both (default, with dice_camera), host or device"
    ),
    Setting("dice_camera", str, "", "the host's own camera above the tray: number, device or URL"),
    Setting("dice_reference", str, "", "picture of the empty tray, by the camera that is read"),
    Setting("dice_second_camera", str, "", "file of `tabletool dice --calibrate-second`"),
    Setting("dice_second_source", str, "", "number of that camera, or a file or stream it gives"),
    Setting("manifest", str, "", "release of this table's board; empty: that of the host"),
    Setting("zone", str, "", "part of the floor it is in, such as Salon 2"),
    Setting("wheel_model", str, "", "make and model of its wheel, for figures of an estate"),
    Setting("ball_batch", str, "", "batch of its balls, cards or dice, for figures of an estate"),
    Setting("status_line", str, "", "its wheel speaks a status line (docs/CMS.md): the dialect"),
)


@dataclass(frozen=True)
class TableSettings:
    """One table of the file. Fields: see TABLE."""

    name: str
    port: str
    device: int
    game: str
    rules: str
    variant: str = ""
    currency: str = "EUR"
    void_policy: str = "refund"
    limits: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    configuration: Mapping[str, int] = field(default_factory=dict)
    dice_reading: str = ""
    dice_camera: str = ""
    dice_reference: str = ""
    dice_second_camera: str = ""
    dice_second_source: str = ""
    manifest: str = ""
    zone: str = ""
    wheel_model: str = ""
    ball_batch: str = ""
    status_line: str = ""


@dataclass(frozen=True)
class Settings:
    """The settings of one host. Fields: see HOST."""

    db: str = ""
    keys: str = ""
    host: str = "127.0.0.1"
    port: int = 0
    public: bool = False
    tls_certificate: str = ""
    tls_key: str = ""
    behind_proxy: bool = False
    names: tuple[str, ...] = ()
    session_hours: int = 12
    idle_minutes: int = 60
    seat_idle_minutes: int = 30
    day_ends_hour: int = 6
    lock_after: int = 5
    lock_minutes: int = 15
    session_key: str = ""
    oidc_issuer: str = ""
    oidc_client: str = ""
    oidc_secret_file: str = ""
    oidc_redirect: str = ""
    oidc_roles: tuple[str, ...] = ()
    oidc_groups_claim: str = "groups"
    oidc_name_claim: str = "preferred_username"
    oidc_decides: bool = False
    oidc_ca: str = ""
    batch_ms: int = 5
    lease_s: int = 10
    payout_release_cents: int = HELD_CENTS
    house: str = ""
    metrics_token: str = field(default="", repr=False)
    manifest: str = ""
    release_key: str = ""
    checkpoint_key: str = ""
    checkpoint_file: str = ""
    checkpoint_s: int = 60
    event_days: int = 90
    request_days: int = 30
    events_source: str = "urn:tablewire:pit"
    site: str = ""
    pit: str = ""
    offers: str = ""
    offers_key: str = ""
    host_name: str = ""
    hosts: tuple[str, ...] = ()
    events_file: str = ""
    mqtt: str = ""
    mqtt_prefix: str = "tablewire"
    mqtt_ca: str = ""
    mqtt_certificate: str = ""
    mqtt_key: str = ""
    mqtt_user: str = ""
    mqtt_password_file: str = ""
    mqtt_wait_for_reader: bool = True
    nats: str = ""
    nats_ca: str = ""
    nats_certificate: str = ""
    nats_key: str = ""
    nats_user: str = ""
    nats_password_file: str = ""
    webhooks: tuple[str, ...] = ()
    webhook_secrets: str = ""
    wallet: str = ""
    wallet_secrets: str = ""
    wallet_ca: str = ""
    wallet_timeout_s: int = 3
    mail: str = ""
    mail_from: str = ""
    mail_to: tuple[str, ...] = ()
    mail_priority: int = 2
    mail_user: str = ""
    mail_password_file: str = ""
    tables: tuple[TableSettings, ...] = ()

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it by https."""
        return bool(self.tls_certificate) or self.behind_proxy


def default_ledger() -> Path:
    """Default place of the ledger: the user's data folder."""
    home = Path.home()
    folder = home / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")
    return Path(os.environ.get("XDG_DATA_HOME") or folder) / "tablewire" / "pit.ledger"
