"""Play: casino tables and their terms, rounds, results, bets and their settlements."""

from tabletools.store.schema.base import (
    check,
    device_time,
    index,
    key,
    link,
    number,
    one_of,
    table,
    unique,
    words,
)

# A casino table. device: its present controller.
tables = table(
    "tables",
    key(),
    words("name"),
    number("device", null=True),
    words("currency"),
    number("enabled"),
    number("created_ns"),
    one_of("enabled", 0, 1),
    check("currency_code", "length(currency) = 3"),
    unique("name"),
    index("ux_tables_device", "device", where="device IS NOT NULL", is_unique=True),
)

# The game of a table and its limits; the newest row is in force, a round keeps those it began
# with. options, limits: JSON, together the `table` of a round of `tabletool settle`. void_policy:
# a new bet of a void round is refunded, or stays for the next.
terms = table(
    "terms",
    key(),
    link("table_id", "tables.id"),
    words("game"),
    words("rules"),
    words("variant", null=True),
    words("options"),
    words("limits"),
    words("void_policy"),
    words("dice_reading", null=True),
    number("at_ns"),
    link("author", "users.id", null=True),
    one_of("void_policy", "refund", "stand"),
    one_of("dice_reading", "host", "both", "device"),
    index("ix_terms_table_id", "table_id", "id"),
    append_only=True,
)

# Announcements of the end of play; the newest row is in force. bound: of the last shoe the newest
# frame when it was announced; of the last round a number that its row and those of later rounds
# are above; of the last fifteen minutes their end, UTC ns.
play_ends = table(
    "play_ends",
    key(),
    link("table_id", "tables.id"),
    words("kind"),
    number("bound", null=True),
    link("user_id", "users.id", null=True),
    number("at_ns"),
    one_of("kind", "shoe", "round", "minutes", "withdrawn"),
    check("bound_unless_withdrawn", "(kind = 'withdrawn') = (bound IS NULL)"),
    index("ix_play_ends_table_id", "table_id", "id"),
    append_only=True,
)

# Whose turn it was to throw the dice, by place at the table, clockwise from 1; the newest row is
# in force. after_round: a number that the row of the first round thrown by it, and those of later
# rounds, are above. place: NULL: nobody throws. account_id: of the player, where one was named.
throwers = table(
    "throwers",
    key(),
    link("table_id", "tables.id"),
    number("after_round"),
    number("place", null=True),
    link("account_id", "accounts.id", null=True),
    words("why"),
    link("user_id", "users.id", null=True),
    number("at_ns"),
    one_of("why", "named", "won", "declined", "ended"),
    check("place_unless_ended", "(why = 'ended') = (place IS NULL)"),
    index("ix_throwers_table_id", "table_id", "id"),
    append_only=True,
)

# Who dealt at a table, and when: what it took then is counted to that user.
dealer_shifts = table(
    "dealer_shifts",
    key(),
    link("table_id", "tables.id"),
    link("user_id", "users.id"),
    number("began_ns"),
    number("ended_ns", null=True),
    check("order", "ended_ns IS NULL OR ended_ns >= began_ns"),
    index("ix_dealer_shifts_table_id", "table_id", "id"),
    index("ux_dealer_shifts_present", "table_id", where="ended_ns IS NULL", is_unique=True),
)

# One host owns a table. token rises with every claim; a write of a host with an old one fails.
leases = table(
    "leases",
    link("table_id", "tables.id", primary=True),
    words("holder"),
    number("token"),
    number("expires_ns"),
)

# Whether bets are open now, for which round, and why not.
table_states = table(
    "table_states",
    link("table_id", "tables.id", primary=True),
    link("round_id", "rounds.id", null=True),
    number("bets_open"),
    words("cause"),
    number("since_ns"),
    one_of("bets_open", 0, 1),
    check("open_for_a_round", "bets_open = 0 OR round_id IS NOT NULL"),
)

# number: as the table counts them. opened, closed, ended: frames. verdict: of the end. pending:
# an earlier record may still come; unexpected: never settled automatically.
rounds = table(
    "rounds",
    key(),
    number("device"),
    number("number"),
    link("table_id", "tables.id", null=True),
    link("terms_id", "terms.id", null=True),
    link("opened", "frames.id", null=True),
    link("closed", "frames.id", null=True),
    link("ended", "frames.id", null=True),
    words("verdict"),
    number("settled"),  # generation in force, 0: not settled
    one_of("verdict", "running", "pending", "believed", "unexpected"),
    unique("device", "number"),
    index("ix_rounds_table_id", "table_id", "id"),
    index("ix_rounds_due", "device", "number", where="settled = 0"),
    index("ix_rounds_not_believed", "verdict", "id", where="verdict <> 'believed'"),
)

# The table's result of a valid round, as `tabletool settle` reads it. At most one.
results = table(
    "results",
    link("round_id", "rounds.id", primary=True),
    link("frame_id", "frames.id"),
    words("outcome"),
    number("is_void"),
    number("at_ns"),
    one_of("is_void", 0, 1),
    append_only=True,
)

# What the dealer of a card round entered, once each: `layout`, which bet is on which box, before
# the first card; `hands`, what was decided. content: JSON. device_ms: reading of the device's
# clock when it was entered: nothing else proves that it was before a card.
dealer_entries = table(
    "dealer_entries",
    key(),
    link("round_id", "rounds.id"),
    words("kind"),
    words("content"),
    link("user_id", "users.id", null=True),
    number("at_ns"),
    *device_time(),
    one_of("kind", "layout", "hands"),
    unique("round_id", "kind"),
    append_only=True,
)

# Bets. slip: JSON of bet, numbers, index, on, choice as given. standing referred: it came late,
# and two users have to rule; a row of referrals means the same for a bet that was valid before.
# after_open_ms: by the monotonic clock of this host. carried_from: a stake that stayed in play,
# for the next round. device_ms: reading of the device's clock in that boot, with
# uncertainty_ms, if known. clock_alarm: a step of the host's clock not acknowledged by then:
# placed_ns may be wrong.
bets = table(
    "bets",
    key(),
    link("table_id", "tables.id"),
    link("round_id", "rounds.id"),
    link("account_id", "accounts.id"),
    words("slip"),
    number("stake_cents"),
    words("state", null=True),
    words("standing"),
    number("placed_ns"),
    number("after_open_ms", null=True),
    link("session_id", "sessions.id", null=True),
    words("terminal", null=True),
    link("posting_id", "postings.id", null=True),
    link("replaces", "bets.id", null=True),
    link("carried_from", "bets.id", null=True),
    number("carried_generation", null=True),
    *device_time(),
    number("clock_alarm", null=True),
    one_of("standing", "valid", "referred"),
    check("stake", "stake_cents > 0"),
    check("paid_or_carried", "(posting_id IS NULL) = (carried_from IS NOT NULL)"),
    index("ix_bets_round_id", "round_id", "account_id"),
    check("carried_whole", "(carried_from IS NULL) = (carried_generation IS NULL)"),
    index(
        "ux_bets_carried",
        "carried_from",
        "carried_generation",
        where="carried_from IS NOT NULL",
        is_unique=True,
    ),
    index("ix_bets_referred", "round_id", where="standing = 'referred'"),
    index("ux_bets_replaces", "replaces", where="replaces IS NOT NULL", is_unique=True),
    append_only=True,
)

# Bets withdrawn while they were open, refunded after a ruling, or recalled from a round that
# was corrected.
withdrawals = table(
    "withdrawals",
    link("bet_id", "bets.id", primary=True),
    link("posting_id", "postings.id"),
    words("cause"),
    number("at_ns"),
    one_of("cause", "withdrawn", "changed", "ruled_invalid", "corrected"),
    append_only=True,
)

# Bets that were refused because they came late: for the report of late bets.
late_refusals = table(
    "late_refusals",
    key(),
    link("table_id", "tables.id"),
    link("round_id", "rounds.id", null=True),
    words("player"),
    words("slip"),
    number("stake_cents"),
    words("code"),
    words("terminal", null=True),
    number("at_ns"),
    *device_time(),
    number("clock_alarm", null=True),
    append_only=True,
)

# Bets that were valid until no-more-bets arrived, but are not proved to be earlier: two users
# have to rule, as on one that came late.
referrals = table(
    "referrals",
    link("bet_id", "bets.id", primary=True),
    link("round_id", "rounds.id"),
    words("cause"),
    number("at_ns"),
    one_of("cause", "not_before", "no_reading", "other_boot"),
    index("ix_referrals_round_id", "round_id"),
    append_only=True,
)

# The ruling of two named users on a bet that came late.
rulings = table(
    "rulings",
    link("bet_id", "bets.id", primary=True),
    number("is_valid"),
    link("first_user", "users.id"),
    link("second_user", "users.id"),
    words("reason"),
    number("at_ns"),
    one_of("is_valid", 0, 1),
    check("two_users", "first_user <> second_user"),
    append_only=True,
)

# One row per settlement of a round. generation 1: by the table's result, or by two users without
# one; a correction reverses the one before and adds the next. outcome: as given to settle.
# bets: those of it, in order of their keys. evidence: of two users; NULL also before release 1.1,
# where only the audit log has it. follows: the corrected round whose stakes played on in this one,
# which keeps its outcome.
round_settlements = table(
    "round_settlements",
    link("round_id", "rounds.id", primary=True),
    number("generation", primary=True),
    link("posting_id", "postings.id"),
    link("reversal_id", "postings.id", null=True),
    words("outcome"),
    number("is_void"),
    number("at_ns"),
    number("bets"),
    number("stake_cents"),
    number("win_cents"),
    number("back_cents"),
    number("live_cents"),
    number("lost_cents"),
    link("first_user", "users.id", null=True),
    link("second_user", "users.id", null=True),
    words("reason", null=True),
    words("evidence", null=True),
    link("follows", "rounds.id", null=True),
    one_of("is_void", 0, 1),
    check("balanced", "stake_cents = back_cents + live_cents + lost_cents"),
    check("corrected_by_two", "generation = 1 OR second_user IS NOT NULL"),
    check("two_users", "first_user <> second_user"),
    check("both_users", "(first_user IS NULL) = (second_user IS NULL)"),
    append_only=True,
)

# The result of each bet in each generation of its round.
settlements = table(
    "settlements",
    link("bet_id", "bets.id", primary=True),
    number("generation", primary=True),
    link("round_id", "rounds.id"),
    words("outcome"),
    number("stake_cents"),
    number("win_cents"),
    number("back_cents"),
    number("live_cents"),
    number("lost_cents"),
    words("state", null=True),
    words("rule"),
    check("balanced", "stake_cents = back_cents + live_cents + lost_cents"),
    check("none_negative", "win_cents >= 0 AND back_cents >= 0 AND live_cents >= 0"),
    index("ix_settlements_round_id", "round_id", "generation"),
    index("ix_settlements_live", "round_id", where="live_cents > 0"),
    by_key=True,
    append_only=True,
)
