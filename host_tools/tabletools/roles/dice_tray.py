"""Dice: as many as the game needs, thrown in time, together and against the far wall."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tabletools.games import GAMES
from tabletools.roles.role import (
    Audited,
    Demand,
    Message,
    Opened,
    Played,
    Record,
    Role,
    SelfTest,
    UndecidedError,
    count_of,
    layout_objection,
    or_unknown,
    requirement_objection,
    seconds,
)
from tablewire.config import RESULT_HOLD_MS

DICE = {name: game.dice for name, game in GAMES.items() if game.dice is not None}
"""How many are thrown, by game."""
HOST, BOTH, DEVICE = "host", "both", "device"
POLICIES = (HOST, BOTH, DEVICE)
"""Who reads the dice of a result: the host alone, both with a camera each, or the table alone."""
# hc2023 4:1(3). An earlier edition requires dice that are apart and flat, which the camera sees.
_HELD_MS = 5_000
_TOGETHER_MS = 1_000
_ALL_CONDITIONS = "hc2023"
_LEAST_FRAMES = 2
# A picture of 20 kB comes in 104 pieces while no dice are in play; the emulated table takes 17 s.
PICTURE_MS = 20_000
_LEFT = "left to the host"
READ_BY_TABLE, READ_BY_HOST = 1, 2
"""Values of the key dice_reading."""


def demands(played: Played) -> list[Demand]:
    """The dice of the game; the ten conditions where the edition has them; pictures to be read."""
    dice = DICE[played.game or ""]
    required = [Demand("dice", dice, dice, f"{played.game} is played with {dice} dice")]
    if played.rules == _ALL_CONDITIONS:
        source = "hc2023 4:1(3)"
        required.append(Demand("throw_rules", 1, 1, source))
        required.append(Demand("throw_ms", 1_000, _HELD_MS, source))
    if played.dice_reading:
        source = f"dice_reading {played.dice_reading} by the terms of the table"
        reads = READ_BY_HOST if played.dice_reading == HOST else READ_BY_TABLE
        required.append(Demand("dice_reading", reads, reads, source))
    if played.dice_reading == HOST and not played.has_host_camera:
        source = "dice_reading host: only pictures of 160 x 120 px are kept"
        required.append(Demand("frame_size", 1, 1, source))
        source = "dice_reading host: the host fetches a picture between rounds"
        required.append(Demand("result_hold_ms", PICTURE_MS, 60_000, source))
    return required


class Faces(Message, frozen=True, kw_only=True):
    """Up to six faces of dice, from low to high; None where there is no die or it was not read."""

    die_1: int | None
    die_2: int | None
    die_3: int | None
    die_4: int | None
    die_5: int | None
    die_6: int | None

    def places(self) -> list[int | None]:
        """All six."""
        return [self.die_1, self.die_2, self.die_3, self.die_4, self.die_5, self.die_6]

    def faces(self) -> list[int]:
        """Those that were read."""
        return [face for face in self.places() if face]


class DiceResult(Faces, frozen=True, kw_only=True):
    """dice_result: the faces, none where the table left them to the host, and the throw."""

    held_ms: int | None
    spread_ms: int | None
    hits: int
    agreed: int

    def text(self) -> str:
        """Faces and throw."""
        hits = f"{count_of(self.hits, 'hit')} of the wall"
        agreed = f"{count_of(self.agreed, 'picture')} agree"
        faces = _in_words(self.faces()) or _LEFT
        thrown = f"held {seconds(self.held_ms)}, over the line in {seconds(self.spread_ms)}"
        return f"{faces}, {thrown}, {hits}, {agreed}"


class DiceSeen(Faces, frozen=True, kw_only=True):
    """dice_seen: one reading of the camera."""

    reading: str
    changed: int | None
    grey: int
    rig: int | None = None

    def text(self) -> str:
        """Faces, movement, brightness, and the digest of the tray they were read with."""
        faces = f" {_in_words(self.faces())}" if self.reading == "read" else ""
        changed = or_unknown(self.changed)
        tray = f", tray {self.rig:08x}" if self.rig else ""
        return f"{self.reading}{faces}, {changed} blocks changed, grey {self.grey}{tray}"


class ThrowEvidence(Message, frozen=True):
    """throw_evidence: what was seen of a throw that is void."""

    code: int | None
    reason: str | None
    held_ms: int | None
    spread_ms: int | None
    crossings: int
    hits: int
    frames: int
    reading: str | None

    def text(self) -> str:
        """Why, and the throw."""
        over = f"{self.crossings} over the line in {seconds(self.spread_ms)}"
        rest = f"{count_of(self.hits, 'hit')} of the wall, {self.frames} pictures"
        last = f", the last {self.reading}" if self.reading else ""
        held = f"held {seconds(self.held_ms)}"
        return f"{self.code} {self.reason}: {held}, {over}, {rest}{last}"


def faces(ended: Record) -> list[int]:
    """The faces in a dice_result, from low to high; none where the table left them to the host."""
    return Faces.of_record(ended).faces()


def _in_words(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))


def objections(
    played: Played, opened: Opened | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Number and faces of the dice, and how they were thrown."""
    result = DiceResult.of_record(ended)
    if played.game is None:
        dice = (opened.requirement or 0) if opened else 0
    else:
        dice = DICE[played.game]
        yield from layout_objection(opened, "dice", played.game)
        if opened is not None and (opened.requirement or 0) > dice:
            yield f"it opened for {opened.requirement} dice, {played.game} has {dice}"
        yield from requirement_objection(opened, dice, f"{played.game} with {dice} dice")
    yield from _reading_objection(played.dice_reading, result, dice)
    if result.agreed < _LEAST_FRAMES:
        yield f"{result.agreed} frames read these faces, {_LEAST_FRAMES} have to agree"
    if played.rules == _ALL_CONDITIONS:
        yield from _throw_objections(result, dice)


def _reading_objection(dice_reading: str, result: DiceResult, dice: int) -> Iterator[str]:
    faces = result.faces()
    if dice_reading == HOST:
        if faces:
            yield f"the table read {len(faces)} dice, by the terms only the host reads them"
    elif not faces and dice_reading:
        yield f"the table left the dice to the host, by the terms dice_reading is {dice_reading}"
    elif (faces or dice_reading) and result.places()[:dice] != faces:
        yield f"{len(faces)} dice were read, {dice} are in play"


def _throw_objections(result: DiceResult, dice: int) -> Iterator[str]:
    held_ms, spread_ms = result.held_ms, result.spread_ms
    if held_ms is None or held_ms > _HELD_MS:
        yield f"picked up to thrown: {_ms(held_ms)}, hc2023 4:1(3) allows {_HELD_MS} ms"
    if spread_ms is None or spread_ms > _TOGETHER_MS:
        yield f"first die to last: {_ms(spread_ms)}, thrown together is {_TOGETHER_MS} ms at most"
    if not result.hits:
        yield f"no hit of the far wall, but each of {dice} dice has to touch it"


def _ms(value: int | None) -> str:
    return "unknown" if value is None else f"{value} ms"


def outcome(_played: Played, ended: Record, _records: Sequence[Record]) -> dict[str, object]:
    """The faces."""
    dice = faces(ended)
    if not dice:
        raise UndecidedError("the table left the dice to the host, and no record has what it read")
    return {"dice": dice}


def _end(values: Sequence[int]) -> str:
    read = [face for face in values[: len(Faces.__struct_fields__)] if face]
    return f"dice {_in_words(read) or _LEFT}"


def _thrown(result: Mapping[str, Any]) -> bytes:
    return bytes(faces(result))


def _settled_faces(_variant: str, outcome: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    dice = outcome.get("dice")
    return "dice", [str(face) for face in dice] if isinstance(dice, list) else ()


def _camera_words(value: int, limit: int) -> str:
    return f"grey level {value} of 255, moved by {limit} px"


ROLE = Role(
    result="dice_result",
    settles_s=60,  # the host fetches the picture of a throw over the link, and reads it
    games=frozenset(DICE),
    demands=demands,
    objections=objections,
    outcome=outcome,
    end=_end,
    listed=("dice", "read_by"),
    displayed=lambda record: _in_words(faces(record)) or _LEFT,
    audited=Audited(
        "dice",
        {"dice": tuple("123456")},
        lambda _layout: "dice",
        _thrown,
        str,
        is_round=False,
        settled=_settled_faces,
    ),
    factory={RESULT_HOLD_MS: PICTURE_MS},
    messages={
        "dice_result": DiceResult,
        "dice_seen": DiceSeen,
        "throw_evidence": ThrowEvidence,
    },
    layouts={"dice": ("{}", "die")},
    measures=dict.fromkeys(
        ("camera_covered", "camera_moved", "camera_dark", "camera_stopped"), _camera_words
    ),
    live={
        "dice_result": ("throw", ("held_ms", "hits", "agreed")),
        "throw_evidence": ("throw", ("held_ms", "hits", "reason")),
    },
    self_test=SelfTest(
        "Take the dice from their place, let one cross the throw line, tap each of the three "
        "plates of the far wall, put a hand through the edge beams, put the dice back.",
        30_000,
    ),
)
