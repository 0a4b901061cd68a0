"""The key pair of a release publisher: Ed25519 in PEM, the private one mode 0600."""

import os
from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from tabletools.release.release_manifest import ReleaseError

_MINE = 0o600
SigningKey: TypeAlias = Ed25519PrivateKey
VerifyingKey: TypeAlias = Ed25519PublicKey


def make_keys(name: Path) -> tuple[Path, Path]:
    """Write name.key (mode 0600) and name.pub; neither may exist. Raises ReleaseError."""
    private, public = name.with_suffix(".key"), name.with_suffix(".pub")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    pem = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    for path, data, mode in ((private, secret, _MINE), (public, pem, 0o644)):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            raise ReleaseError(f"{path} already exists", "keys are never overwritten") from None
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    return private, public


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
