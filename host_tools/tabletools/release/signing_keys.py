"""The key pair of a release publisher: Ed25519 in PEM, the private one mode 0600."""

from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from tabletools import private_file
from tabletools.release.release_manifest import ReleaseError

_MINE = 0o600
SigningKey: TypeAlias = Ed25519PrivateKey
VerifyingKey: TypeAlias = Ed25519PublicKey


class KeysExist(ReleaseError):
    """One of the files of a new key pair is there already."""


def make_keys(name: Path) -> tuple[Path, Path]:
    """Write name.key (mode 0600) and name.pub; neither may exist. Raises ReleaseError, OSError.

    The private key appears first, and whole: whoever finds it may use it at once.
    """
    private, public = name.with_suffix(".key"), name.with_suffix(".pub")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    if public.exists():
        raise _existing(public)
    _write_new(private, secret, _MINE)
    write_public(key, public)
    return private, public


def write_public(key: Ed25519PrivateKey, file: Path) -> None:
    """Write the verification key of a signing key to a new file. Raises ReleaseError, OSError."""
    pem = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    _write_new(file, pem, 0o644)


def _write_new(file: Path, data: bytes, mode: int) -> None:
    """Write a file that appears whole, and replaces none."""
    try:
        with private_file.appearing(file, mode) as stream:
            stream.write(data)
    except FileExistsError:
        raise _existing(file) from None


def _existing(file: Path) -> KeysExist:
    return KeysExist(f"{file} already exists", "keys are never overwritten")


def read_private(path: Path) -> Ed25519PrivateKey:
    """Return the signing key. Raises ReleaseError, also when others may read the file."""
    if path.stat().st_mode & 0o077:
        raise ReleaseError(f"others may read {path}", f"chmod 600 {path}, or make a new key")
    try:
        key = s.load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise ReleaseError(f"{path} is not a private Ed25519 key in PEM", "name the .key file")
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """Return the verification key. Raises ReleaseError."""
    try:
        key = s.load_pem_public_key(path.read_bytes())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ReleaseError(f"{path} is not a public Ed25519 key in PEM", "name the .pub file")
    return key
