"""Every message on the wire, declared once. Ids are never reused; fields are only appended."""

from dataclasses import dataclass
from typing import Literal

from construct import Struct

from tablespec import names
from tablespec.fields import FieldFacts, Ranged, choice, number, raw

U32 = 0xFFFFFFFF
I32_LOW, I32_HIGH = -(2**31), 2**31 - 1
MAX_MS = 2**29 - 1  # half of the device's microsecond clock range, in its own wrap arithmetic


@dataclass(frozen=True)
class Message:
    """One message: wire id, name, sender, whether it is durable, payload, meaning."""

    id: int
    name: str
    sender: Literal["table", "host"]
    durable: bool
    payload: Struct
    meaning: str

    def facts(self) -> list[tuple[str, FieldFacts]]:
        """The payload's fields in wire order as (name, facts)."""
        return [(field.name, field.subcon.facts) for field in self.payload.subcons]


def _speed(meaning: str = "rotor speed") -> Ranged:
    return number("H", "0.1 rpm", 0, 20000, meaning, unknown=0xFFFF)


def _direction(what: str) -> Ranged:
    return choice("b", names.DIRECTION, f"direction of the {what}, seen from above", unknown=0)


def _sensor() -> Ranged:
    return choice("B", names.SENSOR, "sensor concerned", unknown=255)


def _circuits(*, unknown: int | None = None) -> Ranged:
    meaning = "circuits measured between the rim sensors, a lower bound of the true ones"
    return number("H", "0.01 circuit", 0, 60000, meaning, unknown=unknown)


def _last_lap() -> Ranged:
    return number("H", "ms", 0, 60000, "last full lap of the ball", unknown=0xFFFF)


def _key() -> Ranged:
    return number("B", "", 0, 255, "configuration key; the device refuses one it does not know")


def _value(meaning: str) -> Ranged:
    return number("i", "as the key says", I32_LOW, I32_HIGH, meaning)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x01, "identity", "table", False,
        Struct(
            "nonce" / raw(8, "", "as sent in identify; zeros when sent unasked at boot"),
            "schema" / number("I", "", 0, U32, "fingerprint of the schema the device runs"),
            "firmware_major" / number("B", "", 0, 255, "firmware version"),
            "firmware_minor" / number("B", "", 0, 255, "firmware version"),
            "firmware_patch" / number("B", "", 0, 255, "firmware version"),
            "role" / choice("B", names.ROLE, "what the table is", unknown=0),
            "authentication" / choice("B", names.AUTHENTICATION, "how this device seals frames"),
            "reset_cause" / choice("B", names.RESET_CAUSE, "why it booted", unknown=0),
            "board" / raw(16, "ASCII, zero-padded", "board name"),
        ),
        "Who the device is; sent at boot and in answer to identify.",
    ),
    Message(
        0x02, "heartbeat", "table", False,
        Struct(
            "phase" / choice("B", names.PHASE, "phase of the round"),
            "faults" / number("B", "", 0, 32, "faults standing"),
            "circuits" / number("B", "", 0, 250, "complete circuits so far", unknown=255),
            "rotor_direction" / _direction("rotor"),
            "rotor_drpm" / _speed(),
            "unacknowledged" / number("H", "records", 0, 1000, "durable records waiting"),
            "edges_lost" / number("H", "edges", 0, 65535, "lost since boot, stays at the top"),
            "frames_skipped" / number("H", "frames", 0, 65535, "received but refused since boot"),
            "free_bytes" / number("I", "bytes", 0, U32 - 1, "free heap", unknown=U32),
        ),
        "Every 500 ms: the table lives.",
    ),
    Message(
        0x03, "state", "table", False,
        Struct(
            "phase" / choice("B", names.PHASE, "phase entered"),
            "previous" / choice("B", names.PHASE, "phase left"),
        ),
        "The phase changed.",
    ),
    Message(
        0x04, "configuration", "table", False,
        Struct(
            "key" / _key(),
            "value" / _value("value in force"),
            "previous" / _value("value before a set; the same after a get"),
            "low" / _value("lowest value allowed"),
            "high" / _value("highest value allowed"),
        ),
        "One configuration value, in answer to get or set.",
    ),
    Message(
        0x05, "refusal", "table", False,
        Struct(
            "command" / number("B", "", 0x40, 0x7F, "type of the command refused"),
            "command_counter" / number("I", "", 0, U32, "counter of the command refused"),
            "cause" / choice("B", names.REFUSAL, "why"),
            "value" / _value("what was given"),
            "low" / _value("lowest allowed"),
            "high" / _value("highest allowed"),
        ),
        "A command was not carried out.",
    ),
    Message(
        0x10, "round_opened", "table", True,
        Struct(
            "wheel" / choice("B", names.WHEEL, "zeros on the wheel"),
            "min_circuits" / number("B", "circuits", 1, 20, "circuits this round must reach"),
            "max_bet_ms" / number("I", "ms", 0, MAX_MS, "bets close by then at the latest"),
        ),
        "Bets are open for the round named in the header.",
    ),
    Message(
        0x11, "bets_closed", "table", True,
        Struct(
            "cause" / choice("B", names.CLOSE_CAUSE, "what closed the bets"),
            "open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),
        ),
        "No more bets.",
    ),
    Message(
        0x12, "wheel_result", "table", True,
        Struct(
            "pocket" / choice("B", names.POCKET, "the number; 37 is the double zero"),
            "pocket_index" / number("B", "pockets", 0, 37, "place on the rotor, 0 = number 0"),
            "sensor" / choice("B", names.POCKET_SENSOR, "sensors that agreed"),
            "agreements" / number("B", "readings", 1, 255, "readings that agreed"),
            "circuits_centi" / _circuits(),
            "ball_direction" / _direction("ball"),
            "rotor_direction" / _direction("rotor"),
            "rotor_drpm" / _speed(),
            "last_lap_ms" / _last_lap(),
            "track_ms" / number("I", "ms", 0, MAX_MS, "first ball evidence to drop"),
            "result_ms" / number("I", "ms", 0, MAX_MS, "drop to number"),
        ),
        "A number, of a valid run, agreed by every working sensor.",
    ),
    Message(
        0x13, "round_void", "table", True,
        Struct(
            "reason" / choice("H", names.REASON, "why the round is void"),
            "phase" / choice("B", names.PHASE, "phase it happened in"),
            "sensor" / _sensor(),
            "circuits_centi" / _circuits(unknown=0xFFFF),
            "ball_direction" / _direction("ball"),
            "rotor_direction" / _direction("rotor"),
            "rotor_drpm" / _speed(),
            "last_lap_ms" / _last_lap(),
        ),
        "Nothing is decided; bets stand for the next spin.",
    ),
    Message(
        0x14, "fault_raised", "table", True,
        Struct(
            "fault" / choice("H", names.REASON, "what stands"),
            "sensor" / _sensor(),
            "value" / _value("what was measured"),
            "limit" / _value("what it broke"),
        ),
        "A fault stands: no round opens until it is cleared.",
    ),
    Message(
        0x15, "fault_cleared", "table", True,
        Struct(
            "fault" / choice("H", names.REASON, "what stood"),
            "sensor" / _sensor(),
            "stood_ms" / number("I", "ms", 0, MAX_MS, "how long", unknown=U32),
        ),
        "The cause of a fault is gone.",
    ),
    Message(
        0x40, "identify", "host", False,
        Struct("nonce" / raw(8, "", "given back in identity")),
        "Who are you?",
    ),
    Message(
        0x41, "acknowledge", "host", False,
        Struct(
            "record_boot" / number("I", "", 1, U32, "boot of the record stored"),
            "record_counter" / number("I", "", 0, U32, "counter of the record stored"),
        ),
        "A durable record is safe at the host; the device may forget it.",
    ),
    Message(0x42, "open_bets", "host", False, Struct(), "Open a round."),
    Message(0x43, "close_bets", "host", False, Struct(), "No more bets, for the round named."),
    Message(
        0x44, "void_round", "host", False,
        Struct("reason" / choice("H", names.REASON, "what the croupier saw")),
        "Void the round named in the header.",
    ),
    Message(
        0x45, "get_configuration", "host", False, Struct("key" / _key()), "Read one value.",
    ),
    Message(
        0x46, "set_configuration", "host", False,
        Struct("key" / _key(), "value" / _value("wanted")),
        "Change one value; only with no round open.",
    ),
    Message(
        0x47, "clear_fault", "host", False,
        Struct("fault" / choice("H", names.REASON, "what the technician has put right")),
        "Clear a fault no sensor can clear (memory_damaged); any other is refused.",
    ),
)  # fmt: skip

BY_ID = {message.id: message for message in MESSAGES}
