"""Messages that prove which program a table runs, and record who opened its console."""

from construct import Struct

from tablespec.core import core_names
from tablespec.core.field_shapes import U32, Message, concerned
from tablespec.field_types import Ranged, choice, number, raw

ALL_FILES = 0xFFFF


def release(meaning: str = "release number of the program that answers") -> Ranged:
    return number("I", "", 0, U32, meaning)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x07, "attestation", "table", False,
        Struct(
            "nonce" / raw(16, "", "as sent in attest"),
            "digest" / raw(32, "", "SHA-256 over nonce and files, see Attestation"),
            "files" / number("H", "files", 0, ALL_FILES, "files in the digest"),
            "size" / number("I", "bytes", 0, U32, "total size of their contents"),
            "release" / release(),
        ),
        "Digest of the files on the flash, in answer to attest.",
    ),
    Message(
        0x18, "maintenance_changed", "table", True,
        Struct(
            "state" / choice("B", core_names.MAINTENANCE, "of the console from now on"),
            "input" / concerned(),
        ),
        "The console was opened or closed, by the switch or (sensor unknown) by command; sent "
        "again at a boot that finds it open.",
    ),
    Message(
        0x1A, "boot_report", "table", True,
        Struct(
            "reset_cause" / choice("B", core_names.RESET_CAUSE, "why it booted", unknown=0),
            "release" / release("release number of the program"),
            "highest" / release("highest release this table ever ran"),
            "use" / choice("B", core_names.USE, "bench: the console is always open"),
        ),
        "The table booted; kept as soon as half of the journal is free.",
    ),
    Message(
        0x4A, "attest", "host", False,
        Struct(
            "nonce" / raw(16, "", "never used before; returned in attestation"),
            "files" / number("H", "files", 0, ALL_FILES, "only the first so many; 65535: all"),
        ),
        "Hash the files on the flash. A new request ends the one before.",
    ),
    Message(
        0x4B, "maintenance", "host", False,
        Struct("state" / choice("B", core_names.MAINTENANCE, "requested")),
        "Open the console, which voids the open round and raises a fault; or close it.",
    ),
    Message(
        0x4C, "lock", "host", False, Struct(),
        "The program is not the released one: fault firmware_mismatch, until clear_fault.",
    ),
)  # fmt: skip
