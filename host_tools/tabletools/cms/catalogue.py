"""Every event that is published: the only definition of types and data. Plain data, no I/O.

Fields are added, never changed or removed; a consumer ignores unknown ones.
"""

from typing import NamedTuple

Schema = dict[str, object]


TABLE, HOUSE = ("table",), ("house",)


class Kind(NamedTuple):
    """One type of event. fields: of its data; those not in optional are required.

    branches: of the topics: events of a table are in the branch `table`, others in `house`.
    """

    title: str
    meaning: str
    fields: dict[str, Schema]
    optional: frozenset[str] = frozenset()
    branches: tuple[str, ...] = TABLE


def _whole(meaning: str, least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "description": meaning}


def _cents(meaning: str) -> Schema:
    return _whole(f"{meaning}, in cents of the currency of the table")


def _maybe(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


def _text(meaning: str) -> Schema:
    return {"type": "string", "description": meaning}


def _truth(meaning: str) -> Schema:
    return {"type": "boolean", "description": meaning}


ROUND: dict[str, Schema] = {
    "round": _whole("key of the round in the ledger", 1),
    "device": _whole("serial number of the controller"),
    "number": _whole("the round as the controller counts", 1),
    "table": _whole("number of the casino table", 1),
}
SETTLED: dict[str, Schema] = ROUND | {
    "number": {
        "type": "integer",
        "description": "number of the round by its controller; below 0: two users returned the"
        " stakes left in play at a table that is out of service",
    },
    "generation": _whole("1, and one more with each correction", 1),
    "outcome": {
        "type": "object",
        "minProperties": 1,
        "description": "the outcome of the round, as in SETTLE.md: pocket, pays, void and others;"
        " by two users also stakes_back or boxes (LEDGER.md)",
    },
    "void": _truth("whether no player could win"),
    "bets": _whole("how many bets were settled"),
    "stake_cents": _cents("what was staked"),
    "win_cents": _cents("what was won on top of the stakes"),
    "back_cents": _cents("stakes returned"),
    "live_cents": _cents("stakes that stay in play for the next round"),
    "lost_cents": _cents("stakes lost"),
    "users": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 2,
        "maxItems": 2,
        "description": "the two named users who ruled",
    },
    "reason": _text("why they ruled so"),
    "evidence": _text("who saw the result and what shows it"),
}
RULED = frozenset(("users", "reason", "evidence"))
CORRECTED: dict[str, Schema] = SETTLED | {
    "superseded": {
        "type": "object",
        "minProperties": 1,
        "description": "the outcome that was in force before",
    },
    "follows": _whole(
        "key of the corrected round whose stakes played on in this one, which keeps its outcome", 1
    ),
}

EVENTS: dict[str, Kind] = {
    "tablewire.round.opened": Kind(
        "A round opened",
        "The next round of a table began. bets_open false: the cause says why.",
        ROUND
        | {"bets_open": _truth("whether bets are accepted"), "cause": _text("why, one word")},
    ),
    "tablewire.bets.closed": Kind(
        "No more bets", "The table closed the bets of the round.", ROUND
    ),
    "tablewire.round.settled": Kind(
        "A round was settled",
        "The result, and the sums of all bets; users and reason when two users ruled it.",
        SETTLED,
        RULED,
    ),
    "tablewire.round.corrected": Kind(
        "A settlement was corrected",
        "These sums replace those before. Rounds in which its stakes played on are settled again"
        " too, each with its own event.",
        CORRECTED,
        RULED | {"superseded", "follows"},
    ),
    "tablewire.adjustment.posted": Kind(
        "An adjustment was posted",
        "Two named users moved money between a player and the bank of a table, for what no rule"
        " covers.",
        {
            "adjustment": _whole("number of its posting", 1),
            "account": _whole("account of the player", 1),
            "table": _whole("number of the casino table whose bank pays or is paid", 1),
            "round": _maybe(_whole("key of the round it is about, null: none", 1)),
            "amount_cents": {
                "type": "integer",
                "description": "what the player received, in cents of the currency of the table;"
                " below 0: what the player paid",
            },
            "users": SETTLED["users"] | {"description": "the two named users who decided"},
            "reason": _text("why they decided so"),
            "evidence": _text("who saw it and what shows it"),
        },
    ),
    "tablewire.play.ending": Kind(
        "The end of play was announced",
        "The last shoe, the last round or the last fifteen minutes of a table, or it was"
        " withdrawn. No round after that opens bets.",
        {
            "table": _whole("number of the casino table", 1),
            "last": _maybe(
                _text(
                    "shoe, round or minutes: those that begin with the time of the event;"
                    " null: withdrawn"
                )
            ),
            "user": _text("who announced or withdrew it"),
        },
    ),
    "tablewire.table.described": Kind(
        "A host plays a table",
        "What is played there, since a host owns it; what its settings do not say is empty.",
        {
            "table": _whole("number of the casino table", 1),
            "name": _text("its name"),
            "device": _maybe(_whole("serial number of its controller, null: none")),
            "currency": _text("three letters"),
            "game": _text("such as roulette"),
            "rules": _text("edition of the rules, such as hc2023"),
            "variant": _text("such as french"),
            "zone": _text("part of the floor it is in"),
            "wheel_model": _text("make and model of its wheel"),
            "ball_batch": _text("batch of its balls, cards or dice"),
        },
    ),
    "tablewire.dealer.changed": Kind(
        "Another user deals",
        "A user began to deal at a table, or left it.",
        {
            "table": _whole("number of the casino table", 1),
            "dealer": _maybe(_text("name of the user who deals now, null: none")),
        },
    ),
    "tablewire.thrower.changed": Kind(
        "The turn to throw moved",
        "A dealer or a supervisor said whose turn it is to throw the dice. No bet depends on it.",
        {
            "table": _whole("number of the casino table", 1),
            "place": _maybe(
                _whole("place at the table, clockwise from 1; null: nobody throws", 1)
            ),
            "player": _maybe(_text("number of the player there, null: none was named")),
            "why": _text("named, won (after a winning throw), declined or ended"),
            "user": _text("who said so"),
        },
    ),
    "tablewire.tray.corrected": Kind(
        "The floor of a tray was set by hand",
        "The floor that the host's own camera sees was corrected: throws are read with it from"
        " the next round on.",
        {
            "table": _whole("number of the casino table", 1),
            "version": _whole("2 for the first correction, and one more with each", 2),
            "digest": _text("SHA-256 of the file of the tray in force now"),
            "replaces": _text("SHA-256 of the file before"),
            "reason": _text("why"),
            "user": _text("who corrected it"),
        },
    ),
    "tablewire.bet.late": Kind(
        "A bet came late",
        "A bet was refused because it came after no more bets.",
        {
            "late": _whole("number of the refusal", 1),
            "round": _whole("key of the round in the ledger", 1),
            "table": _whole("number of the casino table", 1),
            "stake_cents": _cents("what was to be staked"),
            "code": _text("why it was refused, one word"),
        },
    ),
    "tablewire.device.identified": Kind(
        "A controller said what it is",
        "At the beginning of each session.",
        {
            "device": _whole("serial number of the controller"),
            "role": _text("such as roulette"),
            "board": _text("name of its board"),
            "firmware": _text("version of its program"),
        },
    ),
    "tablewire.device.attested": Kind(
        "A controller attested its program",
        "Its program was compared with a signed release; anything but `match` stops it.",
        {
            "attestation": _whole("number of the attestation", 1),
            "device": _whole("serial number of the controller"),
            "outcome": _text("match, mismatch, rollback or no_answer"),
            "release": _whole("number of the release it has to run"),
            "version": _text("version of that release"),
            "reported": _maybe(_whole("number of the release it reported, null: no answer")),
        },
    ),
    "tablewire.offer.decided": Kind(
        "An offer was decided",
        "A user took or declined what the centre offered; nothing is installed by that.",
        {
            "digest": _text("SHA-256 of the offer, as hex"),
            "number": _whole("number of the offer", 1),
            "kind": {"enum": ["firmware", "configuration"], "description": "what is offered"},
            "name": _text("what the centre calls it"),
            "target": _text("what it is for, such as a board or a table"),
            "decision": {"enum": ["taken", "declined"], "description": "what the user decided"},
            "user": _text("who decided"),
            "reason": _text("what the user wrote"),
        },
        branches=HOUSE,
    ),
    "tablewire.day.closed": Kind(
        "A gaming day was closed",
        "Two named users counted cash and chips at the desk or at a table.",
        {
            "day": _text("date of the gaming day"),
            "place": _text("desk, or table and its number"),
            "currency": _text("three letters"),
            "expected_cents": {
                "type": "integer",
                "description": "what had to be there, in cents; below 0: more was paid than came",
            },
            "counted_cents": _whole("what they counted, in cents"),
            "users": SETTLED["users"] | {"description": "the two named users who counted"},
            "reason": _text("what they wrote"),
        },
        branches=TABLE + HOUSE,
    ),
    "tablewire.alarm.raised": Kind(
        "An alarm was raised",
        "Something that needs attention.",
        {
            "alarm": _whole("number of the alarm", 1),
            "kind": _text("what kind, one word"),
            "text": _text("what happened"),
            "device": _maybe(_whole("serial number of the controller, null: none")),
            "code": _maybe(_whole("number of the fault, null: none")),
            "round": _maybe(_whole("key of the round in the ledger, null: none")),
            "priority": _whole("1 (urgent) to 4 (a note)", 1),
        },
        frozenset(("priority",)),
        branches=TABLE + HOUSE,
    ),
    "tablewire.alarm.cleared": Kind(
        "The cause of an alarm is over",
        "The ledger learned it, or a user said so. It may become active again, without another"
        " `alarm.raised`.",
        {
            "alarm": _whole("number of the alarm", 1),
            "kind": _text("what kind, one word"),
            "user": _maybe(_whole("number of the user, null: the ledger learned it", 1)),
        },
        branches=TABLE + HOUSE,
    ),
    "tablewire.alarm.acknowledged": Kind(
        "An alarm was acknowledged",
        "A user has seen it and noted what was done.",
        {
            "alarm": _whole("number of the alarm", 1),
            "kind": _text("what kind, one word"),
            "user": _whole("number of the user", 1),
            "note": _text("what was done"),
        },
        branches=TABLE + HOUSE,
    ),
    "tablewire.ledger.checkpoint": Kind(
        "The ledger was signed",
        "What was written before cannot be changed unnoticed any more. Append the line to a file"
        " for `tabletool ledger verify --checkpoint`.",
        {
            "entry": _whole("number of the newest entry of the chain", 1),
            "line": _text("the checkpoint, one line of JSON with its Ed25519 signature"),
            "public_key": _text("the 32 bytes of the key that signed it, as hex"),
        },
        branches=HOUSE,
    ),
}


def _plain(meaning: str, fields: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "description": meaning,
        "properties": fields,
        "required": list(fields),
    }


_SINCE: Schema = {"type": "string", "format": "date-time", "description": "since when"}

# Retained: sent to a new subscriber at once. Neither contains a result.
STATE = _plain(
    "State of a casino table; retained, so that a new subscriber gets it at once. The broker drops"
    " it 30 s after its host last said it; it is void once the health of that host is `lost`.",
    {
        "table": _whole("number of the casino table", 1),
        "name": _text("its name"),
        "enabled": _truth("whether it is played at all"),
        "round": _maybe(_whole("key of the newest round in the ledger, null: none yet", 1)),
        "number": _maybe(_whole("that round as the controller counts, null: none yet")),
        "bets_open": _truth("whether bets are accepted"),
        "cause": _text("why, one word"),
        "since": _SINCE,
        "host": _text("the host that says so, as its health names it"),
        "at": {"type": "string", "format": "date-time", "description": "when it said so"},
    },
)
HEALTH = _plain(
    "Whether a host is running; retained. The broker publishes `lost` when the host is gone"
    " without a word.",
    {
        "host": _text("its name"),
        "status": {"enum": ["online", "stopped", "lost"], "description": "how it is"},
        "since": _SINCE,
    },
)


def schema_id(kind: str) -> str:
    """Return the name of the schema of a type: also the `dataschema` of its events."""
    return f"urn:tablewire:data:{kind}:1"


def data_schema(kind: str) -> Schema:
    """Return the JSON Schema of the data of a type."""
    event = EVENTS[kind]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id(kind),
        "title": event.title,
        "description": event.meaning,
        "type": "object",
        "properties": event.fields,
        "required": [name for name in event.fields if name not in event.optional],
    }
