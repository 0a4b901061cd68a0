"""The keys of the tables on this host, in one file."""

from tabletools.keys.agreement import Agreement, DisagreementError
from tabletools.keys.keyring import Key, Keyring, KeyringError, default_file, new_key

__all__ = [
    "Agreement",
    "DisagreementError",
    "Key",
    "Keyring",
    "KeyringError",
    "default_file",
    "new_key",
]
