"""Answers about users, players and terminals. Times are RFC 3339."""

from pydantic import Field

from tabletools.api.answers import Answer, Json, Maybe, Number, Time
from tabletools.api.answers_play import Bet


class Me(Answer):
    """The logged-in user. csrf_token: for X-CSRF-Token; actions: those allowed to the role.
    password_needs_second: a supervisor who did not ask for the first password confirms another.
    has_password: false for a user whom an identity provider knows, who signs nothing, or signs on
    for each decision.
    sign_on: whether users of the provider decide so."""

    user: int
    name: str
    role: str
    csrf_token: str
    must_change_password: bool
    password_needs_second: bool
    has_password: bool
    sign_on: bool
    actions: list[str]


class SignOn(Answer):
    """Whether users can log in by an identity provider, at /v1/sign-on/begin."""

    is_on: bool


class DecisionSignOn(Answer):
    """A sign-on for one decision. name: secret, sent with it; address: where the user signs on."""

    name: str
    address: str


class DecisionProgress(Answer):
    """state: waiting, proved, refused or gone. detail: the user who signed on, or the code of the
    refusal."""

    state: str
    detail: str


class User(Answer):
    """A user. locked_until_at: until then this host refuses logins from some address.

    signs_on: an identity provider knows the user.
    """

    id: int
    name: str
    role: str
    enabled: bool
    locked_until_at: Maybe
    created_at: Time
    has_password: bool
    signs_on: bool


class Users(Answer):
    """Every user."""

    users: list[User]


class MadeUser(Answer):
    """A user just added. password: for the first login, shown once."""

    user: int
    name: str
    role: str
    password: str


class ChangedUser(Answer):
    """A user just changed. password: shown once, if a new one was requested."""

    user: int
    password: str | None = None


class AuditRow(Answer):
    """An action of a user."""

    seq: int
    at: Time
    user_id: Number
    who: str
    action: str
    subject: str
    detail: Json


class AuditLog(Answer):
    """The audit log, newest first."""

    rows: list[AuditRow]


class Account(Answer):
    """A player. player_number: identifies the player in the house; name: a label."""

    id: int
    player_number: str
    name: str
    currency: str
    balance_cents: int
    created_at: Time


class Accounts(Answer):
    """Players."""

    accounts: list[Account]


class Session(Answer):
    """An open session of a player at a terminal, or of a user."""

    id: int
    user_id: Number
    account_id: Number
    table_id: Number
    terminal: Maybe
    opened_at: Time
    expires_at: Time


class Sessions(Answer):
    """The open sessions at a table."""

    sessions: list[Session]


class AccountWhole(Account):
    """A player with the newest bets and open sessions.

    paid_cents: payouts of the last 24 hours; from held_from_cents on a payout is held. has_pin:
    without a PIN the player sits at no terminal.
    """

    paid_cents: int
    held_from_cents: int
    has_pin: bool
    bets: list[Bet]
    sessions: list[Session]


class Balance(Answer):
    """The balance of a player."""

    account: int
    balance_cents: int


class Offered(Answer):
    """A seat that a player is offered. code: opens it at the terminal, with the player's PIN."""

    code: str
    table: int
    account: int
    terminal: str
    expires_at: Time


class Seated(Answer):
    """A player's session at a terminal. token: of the terminal, returned once; it ends when the
    player leaves or places no bet for long, and with the gaming day."""

    session: int
    token: str
    table: int
    account: int
    expires_at: Time


class Seat(Answer):
    """What a terminal shows its player."""

    session: int
    account: int
    name: str
    balance_cents: int
    currency: str
    table: int
    terminal: Maybe
    round: Number
    bets_open: bool
    cause: str
    play_end: Maybe
    play_end_at: Time | None
    thrower_place: Number
    game: str
    rules: str
    variant: Maybe
    limits: Json


class OwnBets(Answer):
    """The player's bets of the current round."""

    round: Number
    bets_open: bool
    cause: str
    balance_cents: int
    bets: list[Bet]


class SlipBet(Answer):
    """The answer to a bet of a slip: bet, round, standing and balance_cents as for a single bet,
    or code, detail, step and where if it was refused."""

    bet: Number
    round: Number
    standing: Maybe
    balance_cents: Number
    code: Maybe
    detail: Maybe
    step: Maybe
    where: str


class SlipReceipt(Answer):
    """The answer to a slip, one entry per bet, in order."""

    bets: list[SlipBet]
    is_repeat: bool = Field(description="It was carried out before; this is the same answer.")


class BetReceipt(Answer):
    """A request carried out. standing: valid, referred (late: two users rule), withdrawn."""

    bet: int
    round: int
    standing: str
    balance_cents: int
    is_repeat: bool = Field(description="It was carried out before; this is the same answer.")
