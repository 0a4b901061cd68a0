"""The keys of the tables on this host, in one file."""

from tabletools.keys.key_agreement import Agreement, DisagreementError
from tabletools.keys.keyring import (
    LAST_NUMBER,
    Key,
    Keyring,
    KeyringError,
    default_file,
    new_key,
    opened_keyring,
)

__all__ = [
    "LAST_NUMBER",
    "Agreement",
    "DisagreementError",
    "Key",
    "Keyring",
    "KeyringError",
    "default_file",
    "new_key",
    "opened_keyring",
]
