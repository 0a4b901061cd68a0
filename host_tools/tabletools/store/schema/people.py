"""People and their actions: users, sessions, audit log, maintenance log."""

from tabletools.authority import ROLES
from tabletools.store.schema.base import (
    check,
    data,
    index,
    key,
    link,
    number,
    one_of,
    table,
    unique,
    words,
)

users = table(
    "users",
    key(),
    words("name"),
    words("role"),
    words("password_hash", null=True),  # NULL: cannot log in
    number("enabled"),
    number("created_ns"),
    one_of("role", *ROLES),
    one_of("enabled", 0, 1),
    unique("name"),
)

# Of a user at the console, or of a player at a terminal or seat. token_hash: the token itself is
# not stored. A player is at one terminal at a time. mac: by a key that only hosts have, see
# `api.session_mac`; sealed_key: the private key of the user, sealed with the token, until it ends.
sessions = table(
    "sessions",
    key(),
    data("token_hash"),
    link("user_id", "users.id", null=True),
    link("account_id", "accounts.id", null=True),
    link("table_id", "tables.id", null=True),
    words("terminal", null=True),
    number("opened_ns"),
    number("expires_ns"),
    number("closed_ns", null=True),
    words("closed_by", null=True),
    data("mac", null=True),
    data("sealed_key", null=True),
    check("of_one", "(user_id IS NULL) <> (account_id IS NULL)"),
    unique("token_hash"),
    index(
        "ux_sessions_player",
        "account_id",
        where="account_id IS NOT NULL AND closed_ns IS NULL",
        is_unique=True,
    ),
    index("ix_sessions_user_id", "user_id", where="closed_ns IS NULL"),
)

# Of an account whose player may sit at a terminal. pin_hash: the PIN itself is not stored.
pins = table(
    "pins",
    link("account_id", "accounts.id", primary=True),
    words("pin_hash"),
    number("at_ns"),
)

# The keys with which users sign what they decide: Ed25519. sealed_key: the private part, sealed
# with the password and salt; empty of a key for one decision, which is retired when it is added.
# retired_ns: when another user reset the password; what was signed with the key stays valid.
user_keys = table(
    "user_keys",
    key(),
    link("user_id", "users.id"),
    data("public_key"),
    data("salt"),
    data("sealed_key"),
    number("created_ns"),
    number("retired_ns", null=True),
    index("ux_user_keys_active", "user_id", where="retired_ns IS NULL", is_unique=True),
)

# The users of an identity provider by the number that it gives them. A person who is renamed there
# is another user here; two users with a subject in common are one person.
subjects = table(
    "subjects",
    key(),
    words("issuer"),
    words("subject"),
    link("user_id", "users.id"),
    number("at_ns"),
    unique("issuer", "subject", "user_id"),
    index("ix_subjects_user_id", "user_id"),
    append_only=True,
)

# detail: JSON.
audit_log = table(
    "audit_log",
    key("seq"),
    number("at_ns"),
    link("user_id", "users.id", null=True),
    words("who"),
    words("action"),
    words("subject"),
    words("detail"),
    append_only=True,
)

# Signatures of rows of the audit log, by their users. after_seq: the newest entry of the chain
# before, which is signed too; 0: none.
signatures = table(
    "signatures",
    link("audit_seq", "audit_log.seq", primary=True),
    link("user_key_id", "user_keys.id"),
    number("after_seq"),
    data("signature"),
    append_only=True,
)

# Daily checks, repairs, parts changed, with who did it.
maintenance = table(
    "maintenance",
    key(),
    number("at_ns"),
    link("table_id", "tables.id", null=True),
    number("device", null=True),
    words("asset", null=True),  # serial of wheel, shuffler or tray: statistics follow it
    link("user_id", "users.id"),
    words("kind"),
    words("text"),
    append_only=True,
)
