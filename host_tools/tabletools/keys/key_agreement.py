"""The host's part of agreeing on the next key of a table: PROTOCOL.md, "Keys"."""

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tabletools.keys.keyring import Key
from tablewire.compat import same_bytes
from tablewire.rotation import agreed


class DisagreementError(Exception):
    """The answer is not from a table with the same key and the same offer."""


class Agreement:
    """One rotation.

    present: the key in force; number: of the next one; public: the value to offer.
    """

    def __init__(self, device: int, present: Key, number: int) -> None:
        self.number = number
        self._device = device
        self._present = present
        self._secret = X25519PrivateKey.generate()
        self.public = self._secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def accept(self, public: bytes, proof: bytes) -> tuple[Key, bytes]:
        """Return the agreed key and our proof, from the table's values.

        Raises DisagreementError.
        """
        try:
            shared = self._secret.exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError as error:  # the library refuses points of small order
            raise DisagreementError("its public key has small order") from error
        secret, expected, ours = agreed(
            self._present.secret, shared, self._device, self.number, self.public, public
        )
        if not same_bytes(proof, expected):
            raise DisagreementError("its proof does not match")
        return Key(self.number, secret), ours
