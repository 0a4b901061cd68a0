"""An offer as a file: JSON, signed by the centre with Ed25519.

{"offer": ..., "signature": hex}. The signature is over a heading and the canonical text of the
offer, so an offer has one text and one digest. It names its pit, and a number that rises with
every offer to that pit: so none fits another pit, and the newer of two is known.
"""

import hashlib
import json
from typing import Annotated

import msgspec
from cryptography.exceptions import InvalidSignature
from msgspec import Meta

from tabletools.release import SigningKey, VerifyingKey

FIRMWARE, CONFIGURATION, WITHDRAWAL = "firmware", "configuration", "withdrawal"
KINDS = (FIRMWARE, CONFIGURATION, WITHDRAWAL)
MOST_BYTES = 1 << 20
"""Of a file; the manifest of a release has some ten kilobytes."""
_HEADING = b"tablewire offer 1\n"
_MOST = 2**53
_Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\A[^\x00-\x1f\x7f]*\Z")]
_Place = Annotated[str, Meta(min_length=1, max_length=32)]
_Number = Annotated[int, Meta(ge=1, le=_MOST)]
_Time = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class NotAnOffer(Exception):
    """A file that is no offer of this centre; its text says why."""


class Offer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a centre offers to a pit."""

    site: _Place
    pit: _Place
    number: _Number
    """Rises with every offer to this pit, of whatever kind."""
    kind: Annotated[str, Meta(pattern=rf"\A({'|'.join(KINDS)})\Z")]
    name: _Name
    """What people call it."""
    target: _Name
    """What it is for, such as a board or a table: a later offer of a kind replaces one with it."""
    made_ns: _Time
    until_ns: _Time
    """UTC; after it the offer cannot be taken."""
    withdraws: Annotated[int, Meta(ge=0, le=_MOST)] = 0
    """Number of the offer that a withdrawal ends; 0 of another kind."""
    content: Annotated[str, Meta(max_length=MOST_BYTES)] = ""
    """The signed manifest of a release, or the file of a configuration."""

    @property
    def digest(self) -> str:
        """SHA-256 of its canonical text, as hex: it names the offer in the audit log."""
        return hashlib.sha256(_text(self)).hexdigest()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    offer: Offer
    signature: Annotated[str, Meta(pattern=r"\A[0-9a-f]{128}\Z")]


def encoded(offer: Offer, key: SigningKey) -> bytes:
    """Return the file of an offer."""
    facts = msgspec.to_builtins(offer)
    signature = key.sign(_HEADING + _text(offer)).hex()
    text = json.dumps({"offer": facts, "signature": signature}, sort_keys=True, indent=1)
    return text.encode("ascii") + b"\n"


def read(data: bytes, key: VerifyingKey) -> Offer:
    """Return the offer in a file. Raises NotAnOffer unless this key signed it."""
    if len(data) > MOST_BYTES:
        raise NotAnOffer(f"it has more than {MOST_BYTES} bytes")
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise NotAnOffer(f"it is not the file of an offer: {str(error)[:100]}") from error
    try:
        key.verify(bytes.fromhex(file.signature), _HEADING + _text(file.offer))
    except InvalidSignature:
        what = "the centre of this host did not sign it: it is of another, or was changed"
        raise NotAnOffer(what) from None
    if (file.offer.kind == WITHDRAWAL) != bool(file.offer.withdraws):
        raise NotAnOffer("it withdraws an offer and is none, or the other way round")
    return file.offer


def _text(offer: Offer) -> bytes:
    facts = msgspec.to_builtins(offer)
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode("ascii")
