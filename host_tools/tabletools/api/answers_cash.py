"""Answers about the cash desk: movements, held payouts, seats, receipts. Times are RFC 3339."""

from tabletools.api.answers import Answer, Json, Maybe, Number, Time
from tabletools.api.answers_play import Bet, Ruling
from tabletools.api.paragraph_texts import Paragraph


class Movement(Answer):
    """A movement of money on a player's account. amount_cents: above 0 what came in.

    balance_cents: after it. is_cash: a deposit or a payout. has_receipt: also an adjustment.
    """

    id: int
    at: Time
    kind: str
    amount_cents: int
    balance_cents: int
    currency: str
    is_cash: bool
    has_receipt: bool
    round_id: Number
    round_number: Number
    table_id: Number
    table_name: Maybe
    user_name: Maybe


class Movements(Answer):
    """Movements, newest first."""

    movements: list[Movement]


class StatementEntry(Answer):
    """A movement of money. amount_cents: above 0 what came in; balance_cents: after it."""

    movement: int
    at: Time
    kind: str
    amount_cents: int
    balance_cents: int
    table_id: Number
    table_name: Maybe
    round_id: Number
    round_number: Number
    user_name: Maybe


class Statement(Answer):
    """A page of a player's statement, the oldest movement first: opening_cents and the amounts of
    all pages add up to closing_cents. next: `after` of the next page, null on the last.
    is_complete: false where the newest movements are not in it yet."""

    account: int
    player_number: str
    name: str
    currency: str
    day: str
    days: int
    begins_at: Time
    ends_at: Time
    opening_cents: int
    closing_cents: int
    is_complete: bool
    entries: list[StatementEntry]
    next: Number


class Adjusted(Answer):
    """An adjustment that was posted. movement: its number; balance_cents: after it."""

    account: int
    movement: int
    balance_cents: int


class HeldPayout(Answer):
    """A held payout. paid_cents: in 24 hours including it, limit_cents or more.

    balance_cents: of the player now. decided_by: null while it waits; posting_id: of a payout that
    was released, null if it was declined.
    """

    id: int
    account_id: int
    player_number: str
    player: str
    currency: str
    balance_cents: int
    amount_cents: int
    paid_cents: int
    limit_cents: int
    user_id: int
    requested_by: str
    at: Time
    posting_id: Number
    decided_by: Maybe
    second_user: Maybe
    reason: Maybe
    decided_at: Maybe


class HeldPayouts(Answer):
    """Held payouts, newest first."""

    payouts: list[HeldPayout]


class TakenSeat(Answer):
    """A player at a terminal of a table."""

    id: int
    account_id: int
    player_number: str
    player: str
    table_id: Number
    table_name: Maybe
    terminal: Maybe
    opened_at: Time
    expires_at: Time


class TakenSeats(Answer):
    """Players at terminals."""

    seats: list[TakenSeat]


class ChainEntry(Answer):
    """The entry of the chain that proves it (docs/LEDGER.md). digest: hex."""

    seq: int
    digest: str


class SignedCheckpoint(Answer):
    """The newest checkpoint this host signed at or after the entry, which it covers."""

    seq: int
    at: Time


class PayoutRelease(Answer):
    """Who requested and released a held payout."""

    payout: int
    at: Time
    requested_by: str
    released_by: str
    second_user: Maybe
    reason: str


class Proven(Answer):
    """The fields of every receipt. house: of the settings; printed_by: who requested the receipt.

    chain: null if the entry was not found near its time; checkpoint: null without one.
    """

    house: str
    printed_at: Time
    printed_by: str
    currency: str
    player_number: str
    chain: ChainEntry | None
    checkpoint: SignedCheckpoint | None


class AdjustmentProof(Answer):
    """Who decided an adjustment, why, and by what evidence. round: what it is about, by its id."""

    users: list[str]
    reason: str
    evidence: str
    table_name: str
    round: Number
    round_number: Number


class CashReceipt(Proven):
    """The receipt of a deposit, a payout or an adjustment. balance_cents: after it."""

    id: int
    at: Time
    kind: str
    amount_cents: int
    balance_cents: int
    account_id: int
    player: str
    cashier: Maybe
    held: PayoutRelease | None
    adjustment: AdjustmentProof | None


class RecordProof(Answer):
    """The record that ended a round, as the table sent it. seal: verified, unverified, none."""

    frame: int
    type: str
    device: int
    boot: int
    counter: int
    seal: str
    received_at: Time


class PrintedReceipt(Proven):
    """The receipt of a bet. result: by which its round was settled; settled: the generation.

    bet.rule: the paragraph that decided; paragraphs: what each rules. superseded: the outcome of
    the record, where two users replaced it by their ruling; first_user, second_user, reason: also
    of that ruling.
    """

    bet: Bet
    table_name: str
    device: int
    round_number: int
    game: Maybe
    rules: Maybe
    variant: Maybe
    settled: int
    settled_at: Maybe
    result: Json | None
    first_user: Maybe
    second_user: Maybe
    reason: Maybe
    superseded: Json | None
    ruling: Ruling | None
    evidence: RecordProof | None
    paragraphs: list[Paragraph]


class TakingsRow(Answer):
    """Sums of one group. hold: of the drop; theoretical: of theory_known_cents, the part of the
    drop whose average win is known. Percentages and games_an_hour: rounded once from exact ratios;
    null: nothing to divide by."""

    name: str
    currency: str
    games: int
    drop_cents: int
    win_cents: int
    hold_percent: Maybe
    theoretical_hold_percent: Maybe
    theoretical_win_cents: int
    theory_known_cents: int
    games_an_hour: Maybe


class Takings(Answer):
    """What tables took on gaming days. day: the first; by: table, dealer, game, zone or day."""

    day: str
    days: int
    by: str
    rows: list[TakingsRow]


class Dealer(Answer):
    """Who deals at a table. name: null: no user has taken over."""

    name: Maybe


class DayClose(Answer):
    """What two users counted when they closed a gaming day at a place."""

    id: int
    day: str
    place: str
    currency: str
    table_id: Number
    booked_cents: int
    transferred_cents: int
    expected_cents: int
    counted_cents: int
    first_user: int
    second_user: int
    first_name: str
    second_name: str
    reason: str
    at: Time


class CashTransfer(Answer):
    """A fill (from the vault) or a credit (to the vault)."""

    id: int
    kind: str
    place: str
    currency: str
    table_id: Number
    amount_cents: int
    first_user: int
    second_user: int
    first_name: str
    second_name: str
    reason: str
    at: Time


class CashPlace(Answer):
    """What has to be at a place now: opening (counted at the last close, on closed_day), and what
    the books and the vault brought since. booked, transferred: all of it so far. day: the present
    gaming day."""

    day: str
    currency: str
    table: Number
    opening_cents: int
    booked_cents: int
    transferred_cents: int
    expected_cents: int
    closed_day: Maybe
    closes: list[DayClose]
    transfers: list[CashTransfer]


class Due(Answer):
    """What has to be at a place now."""

    expected_cents: int


class WalletTransfer(Answer):
    """A movement of the external wallet. key: of its request. kind: stake, payment, collection.
    state: requested, queued, reversing, held (the wallet refused it), done, refused, reversed.
    day: its gaming day. error: what the wallet said, or why a user closed it."""

    id: int
    key: str
    kind: str
    account: int
    player_number: str
    currency: str
    cents: int
    day: str
    table: Number
    round: Number
    state: str
    at: Time
    attempts: int
    error: Maybe


class WalletOpen(Answer):
    """How many movements are in each state that is not final."""

    requested: int
    queued: int
    reversing: int
    held: int


class Wallet(Answer):
    """The wallet of the players. is_external: false: the ledger has the money. trouble: why it
    does not work, empty if it does. waiting: not final, those that it refused first. day: the
    gaming day before this one."""

    is_external: bool
    trouble: str
    open: WalletOpen
    waiting: list[WalletTransfer]
    day: str


class WalletDifference(Answer):
    """A movement on which ledger and wallet differ. kind: missing, extra, amount, other, twice,
    not_reversed, only_reversed. account: player number. cents: of the ledger, else the wallet."""

    kind: str
    key: str
    account: str
    currency: str
    cents: int
    text: str


class WalletCounts(Answer):
    """How many there are: the lists have the first 200 of each."""

    differences: int
    open: int
    by_hand: int


class WalletSum(Answer):
    """What ledger and wallet agree on, of a currency."""

    currency: str
    debited_cents: int
    credited_cents: int


class WalletDay(Answer):
    """A gaming day beside the wallet's statement. agreed: movements on which both agree. open: not
    final yet. by_hand: closed by users, not compared."""

    day: str
    agreed: int
    counts: WalletCounts
    sums: list[WalletSum]
    differences: list[WalletDifference]
    open: list[WalletTransfer]
    by_hand: list[WalletTransfer]


class Difference(Answer):
    """Counted less expected: below 0 it is short."""

    difference_cents: int
