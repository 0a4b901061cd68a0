"""The contents of requests: strict, unknown fields are refused."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    field_validator,
)

from tabletools.authority import ROLES
from tabletools.money.pins import LONGEST, SHORTEST
from tabletools.pit.orders import COMMANDS
from tabletools.rules.money import MAX_STAKE
from tabletools.table.slips import MOST_BOXES, SLIP_FIELDS

Cents = Annotated[StrictInt, Field(ge=1, le=MAX_STAKE, description="Whole cents.")]
MOST_WHOLE = 2**53 - 1
"""The largest number that every reader of JSON reads as it is written (RFC 8259, 6)."""
Id = Annotated[StrictInt, Field(ge=1, le=MOST_WHOLE)]
# No control characters: names must look different, and no database stores all of them.
NO_NUL = r"^[^\x00]*$"
_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"
Text = Annotated[StrictStr, Field(min_length=1, max_length=100, pattern=_PLAIN)]
Reason = Annotated[StrictStr, Field(min_length=1, max_length=500, pattern=NO_NUL)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""SHA-256, as hex."""
Condition = Literal["ok", "bad"]
Pixel = Annotated[StrictInt, Field(ge=0, le=20_000)]
MOST_CORNERS = 64
"""Of the floor of a tray."""
Secret = Annotated[StrictStr, Field(min_length=1, max_length=200)]
Pin = Annotated[StrictStr, Field(min_length=1, max_length=40, pattern=NO_NUL)]
"""Of a player, as typed."""
# Described only: the ledger refuses other words, and names those that it knows.
NewPinText = Annotated[
    Pin, Field(json_schema_extra={"pattern": f"^[0-9]{{{SHORTEST},{LONGEST}}}$"})
]
"""A new PIN of a player; one that is easily guessed is refused."""
RoleName = Annotated[StrictStr, Field(json_schema_extra={"enum": list(ROLES)})]
OrderName = Annotated[StrictStr, Field(max_length=40, json_schema_extra={"enum": list(COMMANDS)})]
MOST_OF_SLIP = 200
"""Most bets of one slip."""


class Shape(BaseModel):
    """An object of the API."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Login(Shape):
    """Name and password of a user."""

    name: Text
    password: Secret


class SignOnSecond(Shape):
    """The other user signs on at the identity provider: see POST /v1/sign-on/decisions."""

    sign_on: Literal[True]


Second = Login | SignOnSecond
"""The other user of two."""


class SignOnDecision(Shape):
    """A decision for which a user of the identity provider signs on: the request as it will be
    sent. place: whether the user who is logged in signs on, or the second one."""

    place: Literal["first", "second"]
    method: Literal["POST", "PUT", "PATCH", "DELETE"]
    path: Annotated[StrictStr, Field(max_length=200, pattern=r"^/v1/[\x21-\x7e]*$")]
    key: Annotated[StrictStr, Field(max_length=64, pattern=NO_NUL)] = Field(
        "", description="Its Idempotency-Key."
    )
    body: dict[str, Any] | None = None


class NewPassword(Shape):
    """The old password and the new one. second: a supervisor who sees the user choose it, required
    where `password_needs_second` is true; not the one who asked for the first password."""

    old: Secret
    new: Secret
    second: Login | None = None


class SeatOpening(Shape):
    """What a terminal sends to open an offered seat. code: of the offer."""

    code: Annotated[StrictStr, Field(min_length=1, max_length=20, pattern=NO_NUL)]
    pin: Pin


class NewPin(Shape):
    """The player's old PIN and the new one, of 6 to 12 digits."""

    old: Pin
    new: NewPinText


class PinReset(Shape):
    """A PIN of 6 to 12 digits that the player types. second: the other user who sees it."""

    pin: NewPinText
    second: Second


class Slip(Shape):
    """A bet. Its fields and words are those of a bet of `tabletool settle` (docs/SETTLE.md)."""

    bet: Text
    numbers: Annotated[list[Annotated[StrictStr, Field(max_length=10)]], Field(max_length=40)] | (
        None
    ) = None
    index: StrictInt | None = None
    on: dict[str, Any] | StrictStr | list[Any] | None = None
    choice: Annotated[StrictStr, Field(max_length=40)] | None = None
    games: StrictInt | None = Field(None, description="Keno: draws the form is for.")
    groups: list[list[StrictInt]] | None = Field(None, description="Keno: instead of on.")
    ways: list[StrictInt] | None = Field(None, description="Keno: groups in a set.")
    box: Annotated[StrictInt, Field(ge=1, le=MOST_BOXES)] | None = Field(
        None, description="Games with boxes: the one it is on; left out: the dealer says later."
    )
    stake_cents: Cents
    round: Id | None = Field(None, description="The round it is for; refused in any other.")

    def fields(self) -> dict[str, Any]:
        """The slip without stake and round."""
        return {name: value for name in SLIP_FIELDS if (value := getattr(self, name)) is not None}


class BetSlip(Shape):
    """Bets of one request, under one Idempotency-Key."""

    bets: Annotated[list[Slip], Field(min_length=1, max_length=MOST_OF_SLIP)]


class Call(Shape):
    """A call bet of roulette; its bets are accepted together, or none of them."""

    call: Text
    number: Annotated[StrictStr, Field(max_length=10)] | None = Field(
        None, description="In the middle of neighbours."
    )
    sides: StrictInt | None = Field(None, description="Neighbours on each side; left out: 2.")
    stake_cents: Cents = Field(description="Of all its chips together.")
    round: Id | None = Field(None, description="The round it is for; refused in any other.")

    def fields(self) -> dict[str, Any]:
        """The call without stake and round."""
        fields = {"call": self.call, "number": self.number, "sides": self.sides}
        return {name: value for name, value in fields.items() if value is not None}


class NewAccount(Shape):
    """A player. player_number: digits, capital letters and hyphens, unique. pin: of 6 to 12
    digits, typed by the player, who sits at no terminal without one."""

    player_number: Annotated[StrictStr, Field(min_length=1, max_length=40, pattern=NO_NUL)]
    name: Text
    currency: Annotated[StrictStr, Field(pattern="^[A-Z]{3}$")] = "EUR"
    pin: NewPinText | None = None


class Money(Shape):
    """An amount paid in or out. seen_cents: the balance the cashier saw; refused if it changed."""

    cents: Cents
    seen_cents: Annotated[StrictInt, Field(ge=-MOST_WHOLE, le=MOST_WHOLE)] | None = None


class Movement(Money):
    """An amount paid in or out.

    second: the other user, who releases a held payout or confirms a deposit above the limit.
    """

    second: Second | None = None


class Adjustment(Shape):
    """Money moved by hand between a player and the bank of a table. cents: above 0 to the player.

    round: what it is about. second: the other user who decides. seen_cents: see Money.
    """

    cents: Annotated[StrictInt, Field(ge=-MOST_WHOLE, le=MOST_WHOLE)]
    table: Id
    round: Id | None = None
    reason: Reason
    evidence: Reason
    second: Second
    seen_cents: Annotated[StrictInt, Field(ge=-MOST_WHOLE, le=MOST_WHOLE)] | None = None


class PayoutDecision(Shape):
    """Whether a held payout is released. second: also required if the requester decides."""

    released: StrictBool
    reason: Reason
    second: Second | None = None


class WalletRetry(Shape):
    """Why a movement that the wallet refused is requested again."""

    reason: Reason


class WalletClose(WalletRetry):
    """Why a refused movement is closed as moved by hand. second: the other user who decides."""

    second: Second


class _AtPlace(Shape):
    """Where cash or chips are. table: null: the cash desk. second: the other user who decides."""

    currency: Annotated[StrictStr, Field(pattern="^[A-Z]{3}$")] = "EUR"
    table: Id | None = None
    reason: Reason
    second: Second


class NewTransfer(_AtPlace):
    """What is brought from the vault (fill) or taken there (credit)."""

    kind: Literal["fill", "credit"]
    cents: Cents


class NewClose(_AtPlace):
    """What was counted at a place. day: the gaming day that is closed, as 2027-01-31."""

    day: Annotated[StrictStr, Field(json_schema_extra={"format": "date"})]
    counted_cents: Annotated[StrictInt, Field(ge=0, lt=10**15)]

    @field_validator("day")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        if date.fromisoformat(text).isoformat() != text:
            raise ValueError("not a date such as 2027-01-31")
        return text


class SeatOffer(Shape):
    """A player who is offered a seat. terminal: name of the terminal or seat."""

    account: Id
    terminal: Text


class Acknowledgement(Shape):
    """What was done about it."""

    note: Reason


_Alarms = Annotated[list[Id], Field(min_length=1, max_length=500)]


class Acknowledgements(Acknowledgement):
    """What was done about several alarms."""

    alarms: _Alarms


class AlarmsEnd(Shape):
    """Why the cause of alarms is over, or they are no longer set aside."""

    alarms: _Alarms
    reason: Reason


class OfferReason(Shape):
    """Why an offer of the centre is taken or declined."""

    reason: Reason


class CorrectedFloor(Shape):
    """The floor of a tray, set by hand. floor: its corners in order, right and down, px of the
    camera's picture. digest: of the tray that is corrected, all of it, as GET tray gives it."""

    floor: Annotated[
        list[Annotated[list[Pixel], Field(min_length=2, max_length=2)]],
        Field(min_length=3, max_length=MOST_CORNERS),
    ]
    digest: Digest
    reason: Reason


class NewRule(Shape):
    """A rule: low, high: the band, in the unit of the measure. table: null: every table."""

    measure: Text
    table: Id | None = None
    low: StrictInt | None = None
    high: StrictInt | None = None
    hours: StrictInt = 24
    least_games: StrictInt = 20


class Shelving(AlarmsEnd):
    """For how long alarms are set aside, and why."""

    minutes: StrictInt


class Release(Shape):
    """Why a stopped device may resume."""

    why: Reason


class SupervisorCall(Shape):
    """Why a supervisor is called to a table."""

    why: Reason


class PlayEnd(Shape):
    """The announced end of play: the last shoe, the last round or the last fifteen minutes."""

    last: Literal["shoe", "round", "minutes"]


class ThrowerTurn(Shape):
    """Who throws now. place: from 1 to 20, clockwise; account: of the player who stands there.

    why: named; won: after a winning throw; declined: the player before does not want to throw.
    """

    place: StrictInt
    why: Literal["named", "won", "declined"]
    account: Id | None = None


class Enable(Shape):
    """Whether a table may take bets."""

    enabled: StrictBool


class Order(Shape):
    """An order to a table. values: fields of the command in PROTOCOL.md, words or numbers.

    void_round after no more bets is a correction: second is the other user, with reason and
    evidence.
    """

    order: OrderName
    values: Annotated[
        dict[str, StrictInt | Annotated[StrictStr, Field(max_length=40)]], Field(max_length=8)
    ] = Field(default_factory=dict)
    number: Annotated[StrictInt, Field(ge=0, le=2**32 - 1)] | None = Field(
        None, description="The table's number of the round it is for; without it the one shown."
    )
    second: Second | None = None
    reason: Annotated[StrictStr, Field(max_length=500, pattern=NO_NUL)] = ""
    evidence: Annotated[StrictStr, Field(max_length=500, pattern=NO_NUL)] = ""


class NewDailyCheck(Shape):
    """The findings before opening. note: what was done about them."""

    level: Condition
    magnet: Condition
    ball: Condition
    parts: Condition
    note: Annotated[StrictStr, Field(max_length=500)] = ""


class BetRuling(Shape):
    """Whether a bet that came late counts. second: the other user who rules."""

    second: Second
    valid: StrictBool
    reason: Reason


class BoxDecision(Shape):
    """A decision of a box of Black Jack. box and hand: from 1."""

    box: Annotated[StrictInt, Field(ge=1, le=20)]
    hand: Annotated[StrictInt, Field(ge=1, le=20)] = 1
    act: Literal["card", "double", "split", "stand"]


class Dealt(Shape):
    """What a shoe does not report. boxes: dealt to; decisions: of Black Jack, in their order."""

    boxes: Annotated[StrictInt, Field(ge=1, le=20)] | None = None
    decisions: Annotated[list[BoxDecision], Field(max_length=200)] | None = None


class Layout(Shape):
    """Which bet is on which box: numbers of bets by box, from "1" on; a box may have none."""

    boxes: Annotated[
        dict[
            Annotated[StrictStr, Field(pattern="^[1-9][0-9]?$")],
            Annotated[list[Id], Field(max_length=200)],
        ],
        Field(
            min_length=1,
            max_length=MOST_BOXES,
            json_schema_extra={"additionalProperties": False},
        ),
    ]


class Hands(Shape):
    """What the dealer enters of a card round with a shoe: once, without bets.

    outcome: a round record as for rulings; hands that the shoe determines may be left out.
    decisions: of Black Jack, in their order.
    """

    outcome: dict[str, Any]
    decisions: Annotated[list[BoxDecision], Field(max_length=200)] | None = None


class Supposed(Shape):
    """An assumed outcome, as `tabletool settle` reads it, or as in LEDGER.md for rulings."""

    outcome: dict[str, Any]


class RoundRuling(Supposed):
    """A ruling. second: the other user. evidence: required: who saw it, which recording shows it.

    settled: the generation the users saw, as GET /v1/rounds/{number} and the preview return it; 0
    before the first. preview: of POST /v1/rounds/{number}/ruling/preview; required for hands.
    """

    second: Second
    settled: Annotated[StrictInt, Field(ge=0, le=MOST_WHOLE)]
    reason: Reason
    evidence: Annotated[StrictStr, Field(max_length=500, pattern=NO_NUL)] = ""
    preview: Annotated[StrictStr, Field(max_length=64)] = ""


class Declined(Supposed):
    """A ruling the second user does not agree to. reason: why."""

    second: Second
    reason: Reason


class StakesEnd(Shape):
    """Why stakes in play are refunded. second: the other user who decides."""

    second: Second
    reason: Reason


class NewUser(Shape):
    """A user; the password is generated and shown once. second: another supervisor who agrees,
    required once two have a password."""

    name: Annotated[StrictStr, Field(min_length=2, max_length=60, pattern=r"^[^\s].*[^\s]$")]
    role: RoleName
    second: Second | None = None


class UserChange(Shape):
    """What changes of a user. reset_password: a new one is generated and shown once. second:
    another supervisor who agrees, required once two have a password, except to disable."""

    role: RoleName | None = None
    enabled: StrictBool | None = None
    reset_password: StrictBool = False
    second: Second | None = None
