"""The layout of an evidence file: lines of JSON in ASCII, and the columns of the rows in them.

    {"is": "tablewire evidence 1", "ledger": ..., "newest": ..., "at_ns": ..., "release": ...,
     "public_key": ..., "table": ..., "name": ..., "day": ..., "rounds": [[key, device, number]]}
    {"checkpoint": {...}, "signature": ...}            the line that the host signed in its minute
    {"entry": {...}, "rows": {table: [...]}, "proof": ..., "heads": {...}}
    {"signature": ..., "lines": ...}                   Ed25519 over all bytes before this line

newest: of the chain at the time of the export. entry: one of the chain as stored; rows: what it
wrote of some tables. proof: the place of its digest in the tree of a checkpoint and the path to
the root, null where no checkpoint has it. heads: digests of the entries that decisions in it were
signed after. Bytes are {"hex": ...}. Each line is as `line_of` writes it: a file has one form.
"""

import json
from typing import Any

FORMAT = "tablewire evidence 1"
DOMAIN = b"tablewire evidence 1\n"
"""Goes before the bytes that the last line signs."""
MOST_LINE, MOST_FILE = 64 << 20, 1 << 30
"""Bytes: a settlement of 20,000 bets is 8 MB, a day of one table some 100 MB."""

Row = tuple[Any, ...]

# Columns in the order in which the chain hashes them: the key first, and how many are the key.
COLUMNS: dict[str, tuple[int, tuple[str, ...]]] = {
    name: (keys, tuple(columns.split()))
    for name, keys, columns in (
        ("line_sessions", 1, "id device boot key_number host_nonce device_nonce at_ns"),
        (
            "frames",
            1,
            "id device boot counter type flags round uptime_ms payload body raw seal"
            " line_session_id counts received_ns made_ns uncertainty_ns",
        ),
        ("traces", 1, "id device round bytes raw line_session_id received_ns"),
        (
            "second_readings",
            1,
            "round_id trace_id dice reason release referred second_picture at_ns",
        ),
        ("rounds", 1, "id device number table_id terms_id opened closed ended verdict settled"),
        (
            "terms",
            1,
            "id table_id game rules variant options limits void_policy dice_reading at_ns author",
        ),
        ("results", 1, "round_id frame_id outcome is_void at_ns"),
        (
            "dealer_entries",
            1,
            "id round_id kind content user_id at_ns device_boot device_ms uncertainty_ms",
        ),
        (
            "bets",
            1,
            "id table_id round_id account_id slip stake_cents state standing placed_ns"
            " after_open_ms session_id terminal posting_id replaces carried_from"
            " carried_generation device_boot device_ms uncertainty_ms clock_alarm",
        ),
        ("withdrawals", 1, "bet_id posting_id cause at_ns"),
        (
            "late_refusals",
            1,
            "id table_id round_id player slip stake_cents code terminal at_ns device_boot"
            " device_ms uncertainty_ms clock_alarm",
        ),
        ("referrals", 1, "bet_id round_id cause at_ns"),
        ("rulings", 1, "bet_id is_valid first_user second_user reason at_ns"),
        (
            "round_settlements",
            2,
            "round_id generation posting_id reversal_id outcome is_void at_ns bets stake_cents"
            " win_cents back_cents live_cents lost_cents first_user second_user reason evidence"
            " follows",
        ),
        (
            "settlements",
            2,
            "bet_id generation round_id outcome stake_cents win_cents back_cents live_cents"
            " lost_cents state rule",
        ),
        (
            "accounts",
            1,
            "id kind name player_number currency table_id balance_cents created_ns",
        ),
        ("postings", 1, "id at_ns kind currency table_id round_id reverses user_id note"),
        ("ledger_lines", 2, "posting_id account_id amount_cents"),
        (
            "adjustments",
            1,
            "posting_id account_id table_id round_id amount_cents first_user second_user reason"
            " evidence at_ns",
        ),
        (
            "alarms",
            1,
            "id at_ns device table_id round_id kind code text raw body repeats acknowledged_ns"
            " acknowledged_by note priority first_up cleared_ns cleared_by normal_ns"
            " shelved_until_ns shelved_by shelved_why",
        ),
        ("audit_log", 1, "seq at_ns user_id who action subject detail"),
        ("signatures", 1, "audit_seq user_key_id after_seq signature"),
    )
}
CHANGING = frozenset(("rounds", "alarms", "accounts"))
"""Rows that later entries may change: of rounds and alarms the file has the newest.

Of accounts it has the meters of jackpots only, each as its entry left it.
"""


def line_of(facts: Any) -> bytes:
    """Return a line of the file."""
    return json.dumps(facts, separators=(",", ":"), default=_hex).encode("ascii") + b"\n"


def _hex(value: object) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError(f"a {type(value).__name__} in a row")
    return {"hex": value.hex()}
