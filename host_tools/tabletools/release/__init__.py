"""The contents of a board: the signed manifest of a release, and its attestation by a table."""

from tabletools.release.check import ALL_FILES, differences, digest, find
from tabletools.release.compiled import compiled
from tabletools.release.image import image_of, manifest_of, read_image, write_image
from tabletools.release.keys import (
    SigningKey,
    VerifyingKey,
    make_keys,
    read_private,
    read_public,
)
from tabletools.release.manifest import File, Manifest, ReleaseError, files_of, read, sign, write

__all__ = [
    "ALL_FILES",
    "File",
    "Manifest",
    "ReleaseError",
    "SigningKey",
    "VerifyingKey",
    "compiled",
    "differences",
    "digest",
    "files_of",
    "find",
    "image_of",
    "make_keys",
    "manifest_of",
    "read",
    "read_image",
    "read_private",
    "read_public",
    "sign",
    "write",
    "write_image",
]
