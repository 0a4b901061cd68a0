"""The contents of a board: the signed manifest of a release, and its attestation by a table."""

from tabletools.release.compiled import compiled
from tabletools.release.differences import ALL_FILES, differences, digest, find
from tabletools.release.program_image import image_of, manifest_of, read_image, write_image
from tabletools.release.release_manifest import (
    File,
    Manifest,
    ReleaseError,
    files_of,
    parsed,
    read,
    sign,
    write,
)
from tabletools.release.signing_keys import (
    SigningKey,
    VerifyingKey,
    make_keys,
    read_private,
    read_public,
    write_public,
)

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
    "parsed",
    "read",
    "read_image",
    "read_private",
    "read_public",
    "sign",
    "write",
    "write_image",
    "write_public",
]
