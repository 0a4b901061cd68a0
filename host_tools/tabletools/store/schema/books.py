"""The books: accounts, postings and their lines; outgoing events; keys of requests."""

from tabletools.store.schema.base import (
    check,
    index,
    key,
    link,
    number,
    one_of,
    table,
    unique,
    words,
)

# Kinds: player; escrow: open stakes of a table; house: the bank of a table; cash: money paid
# in or out; meter: what can be won of a jackpot;
# rake: what the house takes from the pots of a poker table; wallet: money that came from an
# external wallet or goes to it. table_id NULL also for a meter
# shared by tables. balance_cents: sum of its lines, updated in the transaction that adds them.
# player_number: identifies a player in the house; the name of a player is a label.
accounts = table(
    "accounts",
    key(),
    words("kind"),
    words("name"),
    words("player_number", null=True),
    words("currency"),
    link("table_id", "tables.id", null=True),
    number("balance_cents"),
    number("created_ns"),
    one_of("kind", "player", "escrow", "house", "cash", "meter", "rake", "wallet"),
    check("numbered_players", "(kind = 'player') = (player_number IS NOT NULL)"),
    index(
        "ux_accounts_name", "kind", "name", "currency", where="kind <> 'player'", is_unique=True
    ),
    index(
        "ux_accounts_player_number",
        "player_number",
        "currency",
        where="kind = 'player'",
        is_unique=True,
    ),
)

# One movement of money; its lines add up to 0. reverses: the posting whose lines it reverses.
postings = table(
    "postings",
    key(),
    number("at_ns"),
    words("kind"),
    words("currency"),
    link("table_id", "tables.id", null=True),
    link("round_id", "rounds.id", null=True),
    link("reverses", "postings.id", null=True),
    link("user_id", "users.id", null=True),
    words("note", null=True),
    one_of(
        "kind",
        "deposit",
        "payout",
        "bet",
        "withdrawal",
        "settlement",
        "reversal",
        "ruling",
        "seed",
        "adjustment",
        "wallet",
    ),
    index("ux_postings_reverses", "reverses", where="reverses IS NOT NULL", is_unique=True),
    index("ix_postings_round_id", "round_id"),
    # What a user or a player paid within a day: few among all.
    index("ix_postings_cash", "at_ns", where="kind = 'deposit' OR kind = 'payout'"),
    append_only=True,
)

# The effect of a posting on an account, cents; one line per account.
ledger_lines = table(
    "ledger_lines",
    link("posting_id", "postings.id", primary=True),
    link("account_id", "accounts.id", primary=True),
    number("amount_cents"),
    check("not_nothing", "amount_cents <> 0"),
    index("ix_ledger_lines_account_id", "account_id", "posting_id"),
    by_key=True,
    append_only=True,
)

# Payouts that a cashier requested and that wait for a release: from limit_cents in 24 hours on.
# paid_cents: in the 24 hours before, including this one. Nothing is reserved.
held_payouts = table(
    "held_payouts",
    key(),
    link("account_id", "accounts.id"),
    number("amount_cents"),
    number("paid_cents"),
    number("limit_cents"),
    link("user_id", "users.id"),
    number("at_ns"),
    check("amount", "amount_cents > 0"),
    check("held", "paid_cents >= limit_cents"),
    append_only=True,
)

# Decision on a held payout. second_user: who released it with first_user. posting_id: of the
# payout, NULL if it was declined.
payout_decisions = table(
    "payout_decisions",
    link("held_payout_id", "held_payouts.id", primary=True),
    link("posting_id", "postings.id", null=True),
    link("first_user", "users.id"),
    link("second_user", "users.id", null=True),
    words("reason"),
    number("at_ns"),
    check("two_users", "first_user <> second_user"),
    check("released_by_two", "(posting_id IS NULL) = (second_user IS NULL)"),
    index(
        "ux_payout_decisions_posting", "posting_id", where="posting_id IS NOT NULL", is_unique=True
    ),
    append_only=True,
)

# Money that two users moved between a player and the bank of a table, for what no rule covers:
# amount_cents above 0 goes to the player. round_id: what it is about; its posting names no round,
# as no bet and no settlement of the round explains it.
adjustments = table(
    "adjustments",
    link("posting_id", "postings.id", primary=True),
    link("account_id", "accounts.id"),
    link("table_id", "tables.id"),
    link("round_id", "rounds.id", null=True),
    number("amount_cents"),
    link("first_user", "users.id"),
    link("second_user", "users.id"),
    words("reason"),
    words("evidence"),
    number("at_ns"),
    check("not_nothing", "amount_cents <> 0"),
    check("two_users", "first_user <> second_user"),
    check("said", "length(reason) > 0 AND length(evidence) > 0"),
    append_only=True,
)

# Cash and chips that two users moved between the vault and a place: a fill brings them, a credit
# takes them away. place: `desk`, or `table` and its number. The vault has no account in the books.
transfers = table(
    "transfers",
    key(),
    words("kind"),
    words("place"),
    words("currency"),
    link("table_id", "tables.id", null=True),
    number("amount_cents"),
    link("first_user", "users.id"),
    link("second_user", "users.id"),
    words("reason"),
    number("at_ns"),
    one_of("kind", "fill", "credit"),
    check("amount", "amount_cents > 0"),
    check("two_users", "first_user <> second_user"),
    index("ix_transfers_place", "place", "currency", "id"),
    append_only=True,
)

# What two users counted at a place when they closed a gaming day (its date). booked_cents,
# transferred_cents: all that the books and the transfers had brought there by then.
# expected_cents: what was counted at the close before, and what these brought since.
day_closes = table(
    "day_closes",
    key(),
    words("day"),
    words("place"),
    words("currency"),
    link("table_id", "tables.id", null=True),
    number("booked_cents"),
    number("transferred_cents"),
    number("expected_cents"),
    number("counted_cents"),
    link("first_user", "users.id"),
    link("second_user", "users.id"),
    words("reason"),
    number("at_ns"),
    check("counted", "counted_cents >= 0"),
    check("two_users", "first_user <> second_user"),
    unique("place", "currency", "day"),
    append_only=True,
)

# Players whose money is in the external wallet, under their player number. Their balance here is
# what the wallet has not been sent yet (below 0: what it still has to pay).
wallet_accounts = table(
    "wallet_accounts",
    link("account_id", "accounts.id", primary=True),
    number("at_ns"),
    append_only=True,
)

# One movement of money at the external wallet, written before it is requested there. request_key:
# the wallet carries it out once. kind: stake, debited for bets of round_id; payment, credited;
# collection, debited for what a ruling took back. day: the gaming day it is reconciled in.
# posting_id: books it here; a stake has one once its bets are accepted. state: requested, queued
# and reversing wait for the wallet; held waits for a user; the others are final.
wallet_transfers = table(
    "wallet_transfers",
    key(),
    words("request_key"),
    words("kind"),
    link("account_id", "accounts.id"),
    number("amount_cents"),
    words("day"),
    link("table_id", "tables.id", null=True),
    link("round_id", "rounds.id", null=True),
    link("posting_id", "postings.id", null=True),
    words("state"),
    number("at_ns"),
    number("attempts"),
    words("error", null=True),
    number("done_ns", null=True),
    one_of("kind", "stake", "payment", "collection"),
    one_of("state", "requested", "queued", "reversing", "held", "done", "refused", "reversed"),
    check("amount", "amount_cents > 0"),
    check("booked", "(posting_id IS NULL) = (kind = 'stake' AND state <> 'done')"),
    unique("request_key"),
    index("ix_wallet_transfers_day", "day", "id"),
    index(
        "ix_wallet_transfers_open",
        "state",
        "id",
        where="state IN ('requested', 'queued', 'reversing', 'held')",
    ),
)

# Events for other systems, written in the transaction they report. event_id is the same however
# often a fact is reported. data: JSON.
outbox = table(
    "outbox",
    key(),
    words("event_id"),
    words("type"),
    words("subject"),
    link("table_id", "tables.id", null=True),
    number("at_ns"),
    words("data"),
    unique("event_id"),
    removable=True,
)

# Delivery of an event to one sink. delivered_ns NULL: tried, and to be tried again. outbox_id is
# no foreign key: to remove an event would read all deliveries, or need one more index.
deliveries = table(
    "deliveries",
    words("sink", primary=True),
    number("outbox_id", primary=True),
    number("attempts"),
    number("tried_ns"),
    number("next_ns"),
    number("delivered_ns", null=True),
    words("error", null=True),
    index("ix_deliveries_waiting", "sink", "outbox_id", where="delivered_ns IS NULL"),
)

# The answer to a request that may be repeated. digest: of the request.
idempotency_keys = table(
    "idempotency_keys",
    words("scope", primary=True),
    words("name", primary=True),
    words("digest"),
    words("answer"),
    number("at_ns"),
    by_key=True,
    removable=True,
)

# What retention removed of a table: every row that entries of the chain up to `entry` wrote. All
# of them are older than before_ns. rows: removed since the removal before.
removals = table(
    "removals",
    key(),
    words("name"),
    number("entry"),
    number("before_ns"),
    number("rows"),
    number("at_ns"),
    one_of("name", "outbox", "idempotency_keys"),
    index("ix_removals_name", "name", "id"),
    append_only=True,
)
