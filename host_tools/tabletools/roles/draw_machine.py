"""Ball draws: the balls of the game, as many as it draws, each number once.

The result of a draw has its numbers as a set; their order is that of the ball_drawn records
before it. Both must agree, or there is no outcome.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tabletools.games import GAMES
from tabletools.roles.role import (
    Deals,
    Demand,
    IncompleteError,
    Message,
    Opened,
    Played,
    Record,
    Role,
    RoundEnd,
    SelfTest,
    UndecidedError,
    kind_of,
    layout_objection,
    measured_in,
    or_unknown,
)
from tabletools.rules.records import Drawing
from tablewire.draw_machine import NOT_COUNTED

# hc2023 5:2, hc2011 4:3: twenty of eighty. hc2023 5:1: 75, 80 or 90 balls until there is a bingo.
_KENO = (80, 20)
VOID = "round_void"


class DrawResult(Message, frozen=True):
    """draw_result: how many balls were drawn of how many, and which."""

    drawn: int
    balls: int
    numbers: str
    """Bits in hex: bit k is number k + 1."""
    in_all: int = msgspec.field(default=0, name="shown")
    """With those that came after the call."""
    ended_by: str = ""

    def text(self) -> str:
        """Count, cause, and numbers from low to high."""
        after = self.in_all - self.drawn
        more = f", {after} after the call" if after else ""
        numbers = " ".join(map(str, self.drawn_numbers()))
        return f"{self.drawn} of {self.balls} by {self.ended_by}{more}: {numbers}"

    def drawn_numbers(self) -> list[int]:
        """The numbers from low to high."""
        bits = bytes.fromhex(self.numbers)
        return [k + 1 for k in range(len(bits) * 8) if bits[k >> 3] >> (k & 7) & 1]


class BallDrawn(Message, frozen=True):
    """ball_drawn: one ball at its place of the draw."""

    place: int
    number: int
    drawing_ms: int = 0

    def text(self) -> str:
        """Place, number, time."""
        return f"ball {self.place}: {self.number}, {self.drawing_ms / 1000:.1f} s"


class BallsCounted(Message, frozen=True):
    """balls_counted: how many balls are inside, of how many, and who counted."""

    inside: int
    expected: int
    counted_by: str

    def text(self) -> str:
        """The count."""
        return f"{self.inside} of {self.expected} inside, {self.counted_by}"


class ReaderReport(Message, frozen=True):
    """reader_report: what one of the two readers read."""

    reader: str
    readings: int
    number: int | None
    """0: a ball it could not read."""
    ball_set: int

    def text(self) -> str:
        """Reader and ball."""
        reading = {None: "silent", 0: "a ball it could not read"}.get(
            self.number, f"ball {self.number}"
        )
        of_set = f" of set {self.ball_set}" if self.ball_set else ""
        return f"reader at the {self.reader}: {reading}{of_set}, reading {self.readings}"


class DrawStopped(Message, frozen=True):
    """draw_stopped: what was known when a draw became void."""

    code: int | None
    reason: str | None
    drawn: int
    exit_reading: int | None
    tube_reading: int | None
    inside: int | None

    def text(self) -> str:
        """Why, and both readers."""
        text = f"{self.code} {self.reason} after {self.drawn} balls"
        readers = (
            f"read {or_unknown(self.exit_reading)} at the exit,"
            f" {or_unknown(self.tube_reading)} at the tube"
        )
        return f"{text}, {readers}, {or_unknown(self.inside)} inside"


def numbers(ended: Record) -> list[int]:
    """Return the numbers of a draw_result, from low to high."""
    return DrawResult.of_record(ended).drawn_numbers()


def in_order(records: Iterable[Record]) -> dict[str, object]:
    """Return the outcome of Keno and Bingo for `tabletool settle`: drawn in order, or the void.

    records: those of one round, decoded, possibly with repeats. Raises IncompleteError when its
    end or a ball_drawn is missing, or they contradict each other.
    """
    balls: dict[int, int] = {}
    ends: list[Record] = []
    for record in records:
        kind = kind_of(record)
        if kind == "ball_drawn":
            ball = BallDrawn.of_record(record)
            if balls.setdefault(ball.place, ball.number) != ball.number:
                raise IncompleteError(
                    f"two numbers were reported for ball {ball.place} of the draw"
                )
        elif kind in (ROLE.result, VOID):
            ends.append(record)
    if not ends:
        raise IncompleteError("the draw has not ended, or the record of its end is missing")
    if len({tuple(map(end.get, ("type", "numbers", "drawn", "code"))) for end in ends}) > 1:
        raise IncompleteError("the draw ended twice, with different results")
    end = RoundEnd.of_record(ends[0])
    if end.type == VOID:
        return {"void": f"{end.code} {end.reason}"}
    result = DrawResult.of_record(ends[0])
    order = [balls.get(place, 0) for place in range(1, result.drawn + 1)]
    if 0 in order:
        raise IncompleteError(f"ball {order.index(0) + 1} of {result.drawn} was not reported")
    if sorted(order) != result.drawn_numbers():
        raise IncompleteError("the balls reported one by one differ from the result")
    return {"drawn": order}


def deals_of(records: Sequence[Record]) -> Deals | None:
    """Return the balls of each draw, in their order if every ball was reported at its place."""
    draws: list[list[int]] = []
    in_round: list[Record] = []
    balls, is_in_order = 0, True
    for record in records:
        if kind_of(record) == "ball_drawn":
            in_round.append(record)
        elif kind_of(record) in (ROLE.result, VOID):
            if kind_of(record) == ROLE.result:
                result = DrawResult.of_record(record)
                if result.balls != balls:
                    draws, balls = [], result.balls  # another set of balls
                by_place = {ball.place: ball.number for ball in map(BallDrawn.of_record, in_round)}
                draw = [by_place.get(place, 0) for place in range(1, result.drawn + 1)]
                if sorted(draw) != result.drawn_numbers():
                    draw, is_in_order = result.drawn_numbers(), False
                draws.append(draw)
            in_round = []
    rows = [list(map(str, draw if is_in_order else sorted(draw))) for draw in draws]
    return Deals("keno" if balls == _KENO[0] else f"bingo{balls}", rows, is_in_order)


def _balls(played: Played) -> int:
    variant = played.variant or ""
    return _KENO[0] if played.game == "keno" else int(variant) if variant.isdecimal() else 0


def demands(played: Played) -> list[Demand]:
    """The balls in the machine, and how many are drawn."""
    balls, drawn = _balls(played), _KENO[1] if played.game == "keno" else 0
    what = played.game if played.game == "keno" else f"bingo {played.variant}"
    return [
        Demand("balls", balls, balls, f"{what} has {balls} balls"),
        Demand("draw_count", drawn, drawn, f"{what} draws {drawn or 'until a bingo'}"),
    ]


def objections(
    played: Played, opened: Opened | None, ended: Record, records: Sequence[Record]
) -> Iterator[str]:
    """Balls inside and drawn, and a record for each of them."""
    result = DrawResult.of_record(ended)
    drawn = result.drawn_numbers()
    if len(drawn) != result.drawn or max(drawn, default=0) > result.balls:
        yield f"{len(drawn)} numbers up to {max(drawn, default=0)} are not {result.drawn}"
    if played.game is not None:
        yield from layout_objection(opened, "balls", played.game)
        if result.balls != _balls(played):
            yield f"{result.balls} balls were in the machine, {_balls(played)} belong there"
        if played.game == "keno" and result.drawn != _KENO[1]:
            yield f"{result.drawn} balls were drawn, keno draws {_KENO[1]}"
    try:
        in_order((*records, ended))
    except IncompleteError as error:
        yield str(error)


def _drawing(played: Played, result: DrawResult) -> Drawing | None:
    """Return how the game draws; of another one, how the game draws that has these counts."""
    drawings = {name: game.drawing for name, game in GAMES.items() if game.drawing}
    counts = (result.drawn, result.balls)
    return drawings.get(played.game or "") or next(
        (drawing for drawing in drawings.values() if drawing.counts == counts), None
    )


def outcome(played: Played, ended: Record, records: Sequence[Record]) -> dict[str, object]:
    """The balls, in drawing order where the last one matters to the game."""
    result = DrawResult.of_record(ended)
    drawing = _drawing(played, result)
    if drawing is None:
        raise UndecidedError(f"{result.drawn} of {result.balls} balls match no game of this table")
    return in_order((*records, ended)) if drawing.is_in_order else {"drawn": numbers(ended)}


def _place(record: Record) -> tuple[int | None, str]:
    ball = BallDrawn.of_record(record)
    return ball.place, str(ball.number)


def _end(values: Sequence[int]) -> str:
    return f"{values[0]} balls drawn"


ROLE = Role(
    result="draw_result",
    games=frozenset(("keno", "bingo")),
    demands=demands,
    objections=objections,
    outcome=outcome,
    end=_end,
    listed=("drawn", "balls"),
    listed_as="{drawn} of {balls} balls drawn".format_map,
    is_whole=False,
    messages={
        "draw_result": DrawResult,
        "ball_drawn": BallDrawn,
        "balls_counted": BallsCounted,
        "reader_report": ReaderReport,
        "draw_stopped": DrawStopped,
    },
    layouts={"balls": ("at least {}", "ball")},
    counts="ball",
    live={"balls_counted": ("balls", ("inside", "expected", "counted_by"))},
    deals={"ball_drawn": _place},
    deals_of=deals_of,
    self_test=SelfTest(
        "Run the blower, let two balls out into the tube, put both back through the return.",
        60_000,
    ),
    measures={
        "blower_stalled": measured_in("of 4095"),
        **dict.fromkeys(("balls_missing", "balls_extra"), measured_in("balls")),
    },
    awaiting=(NOT_COUNTED,),
    orders=("end_draw", "declare_balls"),
)
