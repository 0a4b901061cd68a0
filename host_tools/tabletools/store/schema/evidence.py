"""What the tables sent: devices, frames as received, gaps, faults, traces, alarms, stops."""

from tabletools.store.schema.base import (
    check,
    data,
    index,
    key,
    link,
    number,
    one_of,
    table,
    unique,
    words,
)

# One row per known controller; its reports keep the row up to date.
devices = table(
    "devices",
    number("device", primary=True),  # serial number of the controller
    words("role", null=True),
    words("board", null=True),
    words("firmware", null=True),
    words("attestation", null=True),  # outcome of the last one
    number("attested_ns", null=True),
    number("first_ns"),
    number("heard_ns"),
)

# Known boots. newest: highest counter of any frame. fell_ns: when a live frame came after one of
# a higher boot; from then on its records are stored but not valid.
boots = table(
    "boots",
    number("device", primary=True),
    number("boot", primary=True),
    number("newest"),
    number("fell_ns", null=True),
)

# Sessions under which records were verified: with the secret of that key, all that a tag is
# computed from. boot: of the session, which may repeat records of earlier boots.
line_sessions = table(
    "line_sessions",
    key(),
    number("device"),
    number("boot"),
    number("key_number"),
    data("host_nonce"),
    data("device_nonce"),
    number("at_ns"),
    unique("device", "boot", "host_nonce", "device_nonce"),
    append_only=True,
)

# Durable records. raw: the frame as received, delimiter included. body: header and payload with
# the flag retransmitted cleared. counts: whether it may change anything: verified, not in test
# mode, of a boot that is still trusted.
frames = table(
    "frames",
    key(),
    number("device"),
    number("boot"),
    number("counter"),
    number("type"),
    number("flags"),
    number("round"),
    number("uptime_ms"),
    words("payload"),  # JSON, values as on the wire
    data("body"),
    data("raw"),
    words("seal"),
    link("line_session_id", "line_sessions.id", null=True),
    number("counts"),
    number("received_ns"),
    number("made_ns", null=True),  # when the table made it, if known
    number("uncertainty_ns", null=True),
    one_of("seal", "none", "unverified", "verified"),
    one_of("counts", 0, 1),
    check("only_verified", "counts = 0 OR seal = 'verified'"),
    # A verified copy is not a repeat of an unverified one.
    unique("device", "boot", "counter", "seal"),
    index("ix_frames_device_round", "device", "round"),
    append_only=True,
)

# Authentic durable records that this release cannot read. They are acknowledged, because they
# are safe here; no bet opens and nothing settles at their table until a newer release reads them
# or a named user releases them.
unread_records = table(
    "unread_records",
    key(),
    number("device"),
    number("boot"),
    number("counter"),
    number("type"),
    number("round"),
    number("flags"),
    words("problem"),
    data("body"),
    data("raw"),
    words("seal"),
    link("line_session_id", "line_sessions.id", null=True),
    number("counts"),
    number("received_ns"),
    number("made_ns", null=True),
    number("uncertainty_ns", null=True),
    link("alarm_id", "alarms.id"),
    number("closed_ns", null=True),
    words("closed_by", null=True),
    link("released_by", "users.id", null=True),
    words("released_why", null=True),
    one_of("closed_by", "read", "released"),
    check("both", "(closed_ns IS NULL) = (closed_by IS NULL)"),
    check("named", "closed_by IS NULL OR (closed_by = 'released') = (released_by IS NOT NULL)"),
    check("why", "(released_by IS NULL) = (released_why IS NULL)"),
    unique("device", "boot", "counter"),
    index("ix_unread_records_open", "device", "boot", "counter", where="closed_ns IS NULL"),
    one_of("counts", 0, 1),
)

# Missing counters, as ranges. closed_by nothing_waiting: the table reports that no record waits,
# so what is missing was not a record.
gaps = table(
    "gaps",
    key(),
    number("device"),
    number("boot"),
    number("first"),
    number("last"),
    number("seen_ns"),
    number("closed_ns", null=True),
    words("closed_by", null=True),
    one_of("closed_by", "filled", "nothing_waiting"),
    check("both", "(closed_ns IS NULL) = (closed_by IS NULL)"),
    check("range", "last >= first"),
    index("ix_gaps_open", "device", "boot", "first", where="closed_ns IS NULL"),
)

# Faults raised and cleared, one row per record, in the order of the table's counters.
faults = table(
    "faults",
    link("frame_id", "frames.id", primary=True),
    number("device"),
    number("boot"),
    number("counter"),
    number("code"),
    number("raised"),
    one_of("raised", 0, 1),
    index("ix_faults_device_boot_counter", "device", "boot", "counter"),
    append_only=True,
)

# Result of an attestation. wanted, version: of the release it had to match; reported: the release
# it reported. seal: of the answer, NULL without an answer.
attestations = table(
    "attestations",
    key(),
    number("device"),
    number("boot"),
    number("at_ns"),
    words("outcome"),
    number("wanted"),
    words("version"),
    number("files", null=True),
    number("bytes", null=True),
    number("reported", null=True),
    data("digest", null=True),
    words("seal", null=True),
    one_of("outcome", "match", "mismatch", "rollback", "no_answer"),
    index("ix_attestations_device", "device", "outcome", "wanted"),
    append_only=True,
)

# Orders to a device to change its configuration. author: as given. key 0: all of it. outcome:
# done, or why not; NULL: unknown.
orders = table(
    "orders",
    key(),
    number("at_ns"),
    number("device"),
    words("author"),
    number("command"),
    number("key"),
    number("value"),
    words("outcome", null=True),
)

# The records a device made for an order, by their identity: they may arrive later.
order_records = table(
    "order_records",
    number("device", primary=True),
    number("boot", primary=True),
    number("counter", primary=True),
    link("order_id", "orders.id"),
    append_only=True,
)

# Configuration values that a device reported on request and that no record explains.
readings = table(
    "readings",
    number("device", primary=True),
    number("boot", primary=True),
    number("counter", primary=True),
    number("key"),
    number("value"),
    number("at_ns"),
    append_only=True,
)

# Sensor trace of a round, as the table stored it. bytes: length of the trace, 0: it has none.
# raw: the frames that carried it, as received, one after the other.
traces = table(
    "traces",
    key(),
    number("device"),
    number("round"),
    number("bytes"),
    data("raw"),
    link("line_session_id", "line_sessions.id", null=True),
    number("received_ns"),
    unique("device", "round"),
    append_only=True,
)

# What the host read in the picture of a throw, or why it read nothing: final. dice: JSON, from low
# to high. reason: why they do not count, empty when they do. trace_id: where the picture is.
# second_picture: PNG, by the host's own cameras, where it has any; the text of one from above has
# what was read in each look, see throw_reading.
second_readings = table(
    "second_readings",
    link("round_id", "rounds.id", primary=True),
    link("trace_id", "traces.id", null=True),
    words("dice"),
    words("reason"),
    words("release"),
    number("referred"),
    data("second_picture", null=True),
    number("at_ns"),
    one_of("referred", 0, 1),
    append_only=True,
)

# Trays of the host's own cameras whose floor was corrected by hand: files as of `tabletool dice
# calibrate`. reference: SHA-256 of the file as it was calibrated, which is version 1 and stored
# with the first correction; replaces, digest: of the file before, and of this one.
tray_versions = table(
    "tray_versions",
    key(),
    link("table_id", "tables.id"),
    words("reference"),
    number("version"),
    words("replaces", null=True),
    words("digest"),
    data("file"),
    link("user_id", "users.id", null=True),
    words("reason", null=True),
    number("at_ns"),
    check("corrected", "(version = 1) = (replaces IS NULL)"),
    check("named", "(version = 1) = (user_id IS NULL)"),
    check("why", "(version = 1) = (reason IS NULL)"),
    unique("table_id", "reference", "version"),
    append_only=True,
)

# Alarms that are not back to normal. Those of earlier releases have no priority and were over when
# a user acknowledged them. As SQL: an index is used only where this is in the condition as it is.
OPEN = "normal_ns IS NULL AND (acknowledged_ns IS NULL OR priority IS NOT NULL)"

# Alarms after ISA-18.2. kind: a word of alarms.KINDS. priority: 1 (urgent) to 4. first_up: the
# first alarm of the same cause. raw, body: of a frame that was refused; its repeats are counted.
# cleared_by NULL: the ledger learned that the cause is over. normal_ns: when nothing was left of
# it: cleared, and acknowledged where it has to be.
alarms = table(
    "alarms",
    key(),
    number("at_ns"),
    number("device", null=True),
    link("table_id", "tables.id", null=True),
    link("round_id", "rounds.id", null=True),
    words("kind"),
    number("code", null=True),  # reason code, if there is one
    words("text"),
    data("raw", null=True),
    data("body", null=True),
    number("repeats"),
    number("acknowledged_ns", null=True),
    link("acknowledged_by", "users.id", null=True),
    words("note", null=True),
    number("priority", null=True),
    link("first_up", "alarms.id", null=True),
    number("cleared_ns", null=True),
    link("cleared_by", "users.id", null=True),
    number("normal_ns", null=True),
    number("shelved_until_ns", null=True),
    link("shelved_by", "users.id", null=True),
    words("shelved_why", null=True),
    check("both", "(acknowledged_ns IS NULL) = (acknowledged_by IS NULL)"),
    index("ix_alarms_device_kind", "device", "kind"),
    index("ix_alarms_unacknowledged", "kind", "id", where="acknowledged_ns IS NULL"),
    index("ix_alarms_open", "table_id", "id", where=OPEN),
)

# What users want an alarm for. measure: a word of alarm_rules.MEASURES, with its unit; low, high:
# the band, NULL: no limit. table_id NULL: every table. hours: over which it is measured, with
# least_games rounds or more. ended_ns: when a user ended it; a rule never changes.
alarm_rules = table(
    "alarm_rules",
    key(),
    words("measure"),
    link("table_id", "tables.id", null=True),
    number("low", null=True),
    number("high", null=True),
    number("hours"),
    number("least_games"),
    number("at_ns"),
    link("user_id", "users.id"),
    number("ended_ns", null=True),
    link("ended_by", "users.id", null=True),
    one_of("measure", "pace", "undone", "hold", "long_open"),
    check("band", "low IS NOT NULL OR high IS NOT NULL"),
    check("ended", "(ended_ns IS NULL) = (ended_by IS NULL)"),
)

# A stopped device accepts no bets and settles nothing until a named user releases it.
stops = table(
    "stops",
    key(),
    number("device"),
    number("since_ns"),
    words("reason"),
    link("alarm_id", "alarms.id"),
    number("released_ns", null=True),
    link("released_by", "users.id", null=True),
    words("released_why", null=True),
    check(
        "release_whole",
        "(released_ns IS NULL) = (released_by IS NULL)"
        " AND (released_ns IS NULL) = (released_why IS NULL)",
    ),
    index("ux_stops_standing", "device", where="released_ns IS NULL", is_unique=True),
)

# Steps of this host's clock, or of a device's. device NULL: of this host.
clock_steps = table(
    "clock_steps",
    key(),
    number("at_ns"),
    number("device", null=True),
    number("step_ns"),
    append_only=True,
)
