"""Answers about decisions of two named users. Times are RFC 3339, money is whole cents."""

from tabletools.api.answers import Answer, Json, Maybe, Number, Time


class Ruled(Answer):
    """A round settled by two users."""

    round: int
    generation: int


class LateBet(Answer):
    """A bet after no-more-bets. bet: null for one that was refused. after_*: ms, see LEDGER.md."""

    bet: Number
    round: int
    player: str
    slip: Json
    stake_cents: int
    at: Time
    standing: str
    terminal: Maybe
    ruled_valid: bool | None
    clock: str
    uncertainty_ms: Number
    after_open_ms: Number
    after_launch_ms: Number
    after_closed_ms: Number
    after_result_ms: Number
    clock_alarm: Number
    currency: str


class LateBets(Answer):
    """The report of late bets."""

    late_bets: list[LateBet]


class Line(Answer):
    """What a ruling would do to a bet: stake = back + live + lost; win is on top."""

    account: int
    slip: Json
    outcome: str
    stake_cents: int
    win_cents: int
    back_cents: int
    live_cents: int
    lost_cents: int
    rule: str


class NewBalance(Answer):
    """The balance of a player with a bet in the round, before and after a ruling."""

    account: int
    name: str
    before_cents: int
    after_cents: int


class LaterRound(Answer):
    """A settled round in which stakes of a ruled one play on: settled again, by its own outcome.

    round: its id; number: as the table counts; generation: the one it would get.
    """

    round: int
    number: int
    generation: int
    outcome: Json
    lines: list[Line]


class Previewed(Answer):
    """What a ruling would do. preview: sent with the ruling, which then does this or nothing.

    settled: the generation in force, 0 before the first; it is sent with the ruling too. later:
    the rounds in which its stakes play on, in the order of play; balances: after all of them.
    differences: between the cards entered and those the shoe read, with both places.
    """

    round: int
    settled: int
    generation: int
    preview: str
    lines: list[Line]
    later: list[LaterRound]
    balances: list[NewBalance]
    differences: list[str]


class CardsTold(Answer):
    """What the shoe of a round read: cards dealt, and cards burned.

    record: its card record without the bets; null if the cards alone do not determine it, then why
    gives the reason.
    """

    cards: list[str]
    burned: list[str]
    record: Json | None
    why: str


class Lack(Answer):
    """What a card round lacks: no_more_bets, layout, hands, end_of_deal; or two_users, and why."""

    code: str
    text: str


class DealShown(Answer):
    """How far the deal of a card round is.

    layout, hands: as its dealer entered them, null before. settled: the generation in force, 0
    while it waits. lacks: what it lacks until it settles, in order.
    """

    round: int
    layout: Json | None
    hands: Json | None
    settled: int
    lacks: list[Lack]


class StakeInPlay(Answer):
    """Open stakes. why: runs; waits (for a result, else a ruling); late (a ruling on the bet);
    plays_on (for the next round). round_id, number: the round they are in, or were in.

    because: why it waits: no_host owns the table; silent: this host owns it and it is offline;
    left: another round began; pending: records are missing; unexpected: the records contradict
    each other; no_result: they do not settle the round. alarm: text of the newest of the round.
    """

    table_id: int
    round_id: int
    number: int
    device: int
    why: str
    because: Maybe
    alarm: Maybe
    bets: int
    stake_cents: int
    since_at: Time


class Stakes(Answer):
    """Every open stake."""

    stakes: list[StakeInPlay]


class StakesEnded(Answer):
    """The refunded stakes. round: the last one of the table, which no device played."""

    table: int
    round: int
    back_cents: int
