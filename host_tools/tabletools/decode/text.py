"""Records as text lines. Unknown values are shown as unknown, never omitted or shown as zero."""

from collections.abc import Callable, Mapping
from typing import Any

from tabletools.authenticity import LABELS, NONE, UNVERIFIED, VERIFIED, WRONG
from tabletools.decode import diagnosis, draws
from tabletools.decode.counts import count_of
from tabletools.decode.live_state import firmware_version
from tabletools.decode.records import Record
from tabletools.decode.roles import counted

_PLACE = frozenset(
    "type device boot counter uptime_ms round minor role echo echo_ms flags authenticated seal"
    " offset length direction t_us".split()
)
_PLAYED = {
    "single": ("single zero, {}", "circuit"),
    "double": ("double zero, {}", "circuit"),
    "segments_52": ("wheel of 52, {}", "turn"),
    "segments_54": ("wheel of 54, {}", "turn"),
    "dice": ("{}", "die"),
    "cards": ("cards, {}", "pass"),
    "shoe": ("a shoe of {}", "deck"),
    "balls": ("at least {}", "ball"),
}
_WAY = {
    "clockwise": "clockwise",
    "counter_clockwise": "counter-clockwise",
    None: "direction unknown",
}


# Of one frame, and of a whole recording.
_MARKS = {UNVERIFIED: "tag not verified", VERIFIED: "authenticated", WRONG: "TAG WRONG"}
_TOTALS = LABELS | {UNVERIFIED: "with an unverified tag: no key or no session"}


def line(record: Record) -> str:
    """Return one record as one line: device time, round, type, and contents."""
    if record["type"] == "skipped":
        return _skipped_line(record)
    way = {"host_to_table": "> ", "table_to_host": "< "}.get(record.get("direction", ""), "")
    when = f"{record['uptime_ms'] / 1000:11.3f} s"
    marks = [name for name in record["flags"] if name in ("test_mode", "retransmitted")]
    if record["seal"] != NONE:
        marks.append(_MARKS[record["seal"]])
    mark = f"  [{', '.join(marks)}]" if marks else ""
    text = f"{way}{when}  round {record['round']:<5} {record['type']:<14} {describe(record)}"
    return text.rstrip() + mark


def describe(record: Record) -> str:
    """Return the contents of one frame, without its header."""
    return _DESCRIBE.get(record["type"], _fields)(record)


def summary(frames: int, skips: int, skipped_bytes: int, seals: Mapping[str, int]) -> str:
    """The last line of a report: how much was read, and how much of it is authenticated.

    seals: how many frames of each, see tabletools.authenticity.
    """
    parts = [f"{seals[seal]} {words}" for seal, words in _TOTALS.items() if seals.get(seal)]
    text = ", ".join([f"{frames} frames", *parts])
    if skips:
        return f"{text}; {count_of(skips, 'piece')} skipped, {count_of(skipped_bytes, 'byte')}"
    return f"{text}; nothing skipped"


def _skipped_line(record: Record) -> str:
    what = "TAMPER: refused" if record.get("tamper") else "skipped"
    text = f"    {what} {record['length']} bytes at {record['offset']}: {record['reason']}"
    detail = record["detail"].removeprefix(f"{record['reason']}: ")
    return text + (f" ({detail})" if detail else "") + _hint(record)


def _hint(record: Record) -> str:
    return f"; {record['hint']}" if "hint" in record else ""


def _fields(record: Record) -> str:
    pairs = [(name, value) for name, value in record.items() if name not in _PLACE]
    return ", ".join(f"{name} {_or_unknown(value)}" for name, value in pairs)


def _or_unknown(value: Any) -> str:
    return "unknown" if value is None else str(value)


def rotor(record: Record) -> str:
    """Speed and direction of the rotor: "rotor 14.2 rpm clockwise"."""
    speed = record["rotor_drpm"]
    text = "unknown speed" if speed is None else f"{speed / 10:.1f} rpm"
    return f"rotor {text} {_WAY[record['rotor_direction']]}"


def _circuits(record: Record) -> str:
    centi = record["circuits_centi"]
    return "circuits unknown" if centi is None else f"{centi / 100:.2f} circuits"


def _run(record: Record) -> str:
    lap = record["last_lap_ms"]
    last = "last lap unknown" if lap is None else f"last lap {lap / 1000:.2f} s"
    ball = f"ball {_WAY[record['ball_direction']]}"
    return f"{_circuits(record)}, {ball}, {rotor(record)}, {last}"


def _identity(record: Record) -> str:
    reset = _or_unknown(record["reset_cause"])
    who = f"{_or_unknown(record['role'])} on {record['board']}"
    text = f"{who}, firmware {firmware_version(record)}"
    number = record["key_number"]
    trust = f"key {number}" if number else record["authentication"]
    return f"{text}, schema 0x{record['schema']:08X}, {trust}, reset by {reset}"


def _heartbeat(record: Record) -> str:
    circuits = record["circuits"]
    parts = [record["phase"]]
    turns = (record["rotor_drpm"], record["rotor_direction"]) != (None, None)
    if turns:
        parts.append(rotor(record))
    if circuits is not None:
        text = counted(circuits, record["role"], turns=turns)
        parts += [text] if text else []
    for name in ("faults", "unacknowledged", "edges_lost", "frames_skipped"):
        if record[name]:
            parts.append(f"{name.replace('_', ' ')} {record[name]}")
    return ", ".join(parts)


def _configuration(record: Record) -> str:
    name = record["key_name"] or f"key {record['key']}"
    text = f"{name} = {record['value']} (allowed {record['low']}..{record['high']})"
    return text if record["previous"] == record["value"] else f"{text}, was {record['previous']}"


def _changed(record: Record) -> str:
    name = record["key_name"] or f"key {record['key']}"
    text = f"{name} = {record['value']}, was {record['previous']}"
    return f"{text}, by {record['cause']}, revision {record['revision']}"


def _refusal(record: Record) -> str:
    limit = f"{record['value']}, allowed {record['low']}..{record['high']}"
    if record["cause"] == "not_understood":
        limit = f"wire 1.{record['value']}, the table has 1.{record['high']}"
    if record["contradicts"]:
        limit += f" with {record['contradicts']}"
    return f"{record['command']} #{record['command_counter']}: {record['cause']} ({limit})"


def played(layout: str, requirement: int) -> str:
    """Return what a round is played with, such as "double zero, 7 circuits". See round_opened."""
    text, noun = _PLAYED[layout]
    return text.format(count_of(requirement, noun))


def _opened(record: Record) -> str:
    limit = f"at most {record['max_bet_ms'] / 1000:.0f} s"
    with_what = played(record["layout"], record["requirement"])
    needed = "" if record["wheel"] == "dice" else " needed"
    return f"bets open, {with_what}{needed}, {limit}"


def _result(record: Record) -> str:
    agreed = count_of(record["agreements"], "reading")
    return f"{record['pocket']:>2}  {_run(record)}, {record['sensor']}: {agreed}"


def _segment(record: Record) -> str:
    friction = record["friction_ddegss"]
    slowing = "unknown" if friction is None else f"{friction / 10:.1f} deg/s2"
    turns = f"{record['revolutions_centi'] / 100:.2f} turns"
    after = f"{record['pushed_centi'] / 100:.2f} after {count_of(record['pushes'], 'push')}"
    way = _WAY[record["wheel_direction"]]
    return f"pays {record['pays']}, segment {record['segment']}, {turns}, {after} {way}, {slowing}"


def _faces(record: Record) -> str:
    return " ".join(str(record[f"die_{n}"]) for n in range(1, 7) if record[f"die_{n}"])


def _dice(record: Record) -> str:
    held, spread = (_seconds(record[name]) for name in ("held_ms", "spread_ms"))
    hits = f"{count_of(record['hits'], 'hit')} of the wall"
    agreed = f"{count_of(record['agreed'], 'picture')} agree"
    faces = _faces(record) or "left to the host"
    return f"{faces}, held {held}, over the line in {spread}, {hits}, {agreed}"


def _seen(record: Record) -> str:
    faces = f" {_faces(record)}" if record["reading"] == "read" else ""
    changed = _or_unknown(record["changed"])
    return f"{record['reading']}{faces}, {changed} blocks changed, grey {record['grey']}"


def _evidence(record: Record) -> str:
    held, spread = (_seconds(record[name]) for name in ("held_ms", "spread_ms"))
    over = f"{record['crossings']} over the line in {spread}"
    rest = f"{count_of(record['hits'], 'hit')} of the wall, {record['frames']} pictures"
    last = f", the last {record['reading']}" if record["reading"] else ""
    return f"{record['code']} {record['reason']}: held {held}, {over}, {rest}{last}"


def _seconds(span_ms: int | None) -> str:
    return "unknown" if span_ms is None else f"{span_ms / 1000:.2f} s"


def _void(record: Record) -> str:
    sensor = f", sensor {record['sensor']}" if record["sensor"] else ""
    seen = record["circuits_centi"] is not None or record["rotor_drpm"] is not None
    run = f", {_run(record)}" if seen else ""
    return f"{record['code']} {record['reason']} in phase {record['phase']}{sensor}{run}"


def _raised(record: Record) -> str:
    sensor = f", sensor {record['sensor']}" if record["sensor"] else ""
    limit = f"measured {record['value']}, limit {record['limit']}"
    return f"{record['code']} {record['fault']} raised{sensor}, {limit}"


def _cleared(record: Record) -> str:
    stood = record["active_ms"]
    time = "an unknown time" if stood is None else f"{stood / 1000:.1f} s"
    return f"{record['code']} {record['fault']} cleared after {time}"


def _shuffle(record: Record) -> str:
    counts = f"{record['count_in']} in, {record['count_out']} out of {record['expected']}"
    why = f" ({record['reason']})" if record["reason"] else ""
    return f"{record['verdict']}{why}: {counts}, {record['duration_ms'] / 1000:.1f} s"


def _shoe(record: Record) -> str:
    why = record["reason"] or (record["replacement"] and f"by {record['replacement']}")
    return f"shoe {record['shoe']}" + (f", {why}" if why else "")


def _card(record: Record) -> str:
    card = record["card"] or "not read"
    what = f"card {record['round_index']} of the round" if record["round_index"] else record["use"]
    return f"{card}  {what}, {record['shoe_index']} of the shoe, {record['passage_ms']} ms"


def _dealt(record: Record) -> str:
    end = ", the last round of this shoe" if record["last_round"] else ""
    places = f"{record['first']}..{record['last']} of the shoe"
    return f"{count_of(record['count'], 'card')}, {places}{end}"


def _shoe_report(record: Record) -> str:
    burns = f", {record['burns']} to be burned" if record["burns"] else ""
    what = f"{record['decks']} decks, {record['drawn']} of {record['cards']} cards drawn"
    return f"shoe {record['event']}: {what}{burns}"


_DESCRIBE: dict[str, Callable[[Record], str]] = {
    "identity": _identity,
    "heartbeat": _heartbeat,
    "state": lambda record: f"{record['previous']} -> {record['phase']}",
    "configuration": _configuration,
    "configuration_changed": _changed,
    "refusal": _refusal,
    "round_opened": _opened,
    "bets_closed": lambda r: f"{r['cause']}, {r['open_ms'] / 1000:.1f} s after opening",
    "wheel_result": _result,
    "money_wheel_result": _segment,
    "dice_seen": _seen,
    "dice_result": _dice,
    "throw_evidence": _evidence,
    "shuffle_done": _shuffle,
    "shoe_changed": _shoe,
    "gate_worn": lambda r: f"{r['sensor']}: {r['margin']} %, locks below {r['lock_below']}",
    "card_round_ended": lambda r: f"settled {r['dealing_ms'] / 1000:.1f} s after no more bets",
    "card_dealt": _card,
    "cards_ended": _dealt,
    "shoe_report": _shoe_report,
    "sensor_sample": diagnosis.sample,
    "self_test_result": diagnosis.result,
    "reader_report": draws.reader,
    "ball_drawn": lambda r: f"ball {r['place']}: {r['number']}, {r['drawing_ms'] / 1000:.1f} s",
    "draw_result": draws.result,
    "draw_stopped": draws.stopped,
    "balls_counted": lambda r: f"{r['inside']} of {r['expected']} inside, {r['counted_by']}",
    "round_void": _void,
    "fault_raised": _raised,
    "fault_cleared": _cleared,
    "tamper": lambda r: f"{r['count']} frames refused, the first for {r['kind']}",
    "key_changed": lambda r: f"key {r['number']} in force, before {r['previous'] or 'none'}",
}
