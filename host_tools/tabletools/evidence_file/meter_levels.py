"""The meters of jackpots in an evidence file: what each held before a posting.

An entry of the chain has the digest of the account of a meter as it left it, and as it was before.
The file has the account as the entry left it; its lines in the entry lead to what was before.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tabletools.evidence_file.layout import COLUMNS, Row
from tabletools.evidence_file.proof import row_digest
from tabletools.evidence_file.reading import Contents, Stored
from tabletools.shadow.jackpots import STARTS

ACCOUNTS = "accounts"
_ID, _KIND_OF, _NAME, _BALANCE = map(
    COLUMNS[ACCOUNTS][1].index, ("id", "kind", "name", "balance_cents")
)
_KIND = "meter"


class Level(NamedTuple):
    """What a meter held before a posting, cents. entry: the one that says so.

    is_own: that of the posting; else the newest before it that changed the meter.
    """

    account: int
    cents: int
    entry: int
    is_own: bool


class MeterLevels:
    """The levels of all meters in a file. problems: accounts that are not as their entries say."""

    def __init__(self, contents: Contents) -> None:
        self.problems: list[str] = []
        self._accounts: dict[str, set[int]] = defaultdict(set)
        self._left: dict[int, dict[int, int]] = defaultdict(dict)  # cents by account and entry
        self._entries: dict[int, int] = {}  # by posting
        self._lines: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        self._changed: dict[int, Mapping[int, str | None]] = {}
        self._with_lines: set[int] = set()  # entries
        for part in contents.parts:
            self._add(part)

    def _add(self, part: Stored) -> None:
        seq = part.entry.seq
        self._entries |= {row[0]: seq for row in part.rows.get("postings", ())}
        if "ledger_lines" in part.rows:
            self._with_lines.add(seq)
        for posting, account, cents in part.rows.get("ledger_lines", ()):
            self._lines[seq, account][posting] = cents
        written = json.loads(part.entry.rows).get(ACCOUNTS, ())
        self._changed[seq] = {key: before for [key], _, before in written}
        for row in part.rows.get(ACCOUNTS, ()):
            self._add_account(seq, row)

    def _add_account(self, seq: int, row: Row) -> None:
        account, balance_cents = row[_ID], row[_BALANCE]
        where = f"account {account} in entry {seq}"
        if row[_KIND_OF] != _KIND:
            self.problems.append(f"{where}: is no meter")
            return
        self._accounts[row[_NAME]].add(account)
        self._left[account][seq] = balance_cents
        if seq not in self._with_lines:
            return  # of another round: what it held afterwards is enough
        cents = balance_cents - sum(self._lines[seq, account].values())
        before = self._changed[seq].get(account)
        if before is None:
            if cents:
                self.problems.append(f"{where}: its lines do not add up to {balance_cents}")
        elif row_digest([(*row[:_BALANCE], cents, *row[_BALANCE + 1 :])]) != before:
            self.problems.append(f"{where}: its lines do not lead from what it held before to it")

    def before(self, name: str, posting: int) -> Level:
        """Return what a meter held before a posting. Raises ValueError if the file lacks it."""
        if len(self._accounts.get(name, ())) != 1:
            raise ValueError(f"the account of the meter {name} is missing, or there are two")
        [account] = self._accounts[name]
        entry, is_own = self._entry(account, posting)
        return Level(account, self.cents_before(account, posting), entry, is_own)

    def cents_before(self, account: int, posting: int) -> int:
        """Return the cents alone. Raises ValueError."""
        entry, is_own = self._entry(account, posting)
        lines = self._lines[entry, account].items() if is_own else ()
        return self._left[account][entry] - sum(cents for own, cents in lines if own >= posting)

    def _entry(self, account: int, posting: int) -> tuple[int, bool]:
        """Return the entry that says what an account held, and whether it has the posting."""
        left, seq = self._left[account], self._entries.get(posting, 0)
        if seq in left and seq in self._with_lines:
            return seq, True
        seqs = sorted(left)
        place = bisect_left(seqs, seq)
        if not place or account in self._changed.get(seq, {}):
            raise ValueError(f"what account {account} held before posting {posting} is missing")
        return seqs[place - 1], False


def names(terms: Any) -> Iterator[tuple[str, str]]:
    """Yield the meters of a jackpot by its terms, each with the name of its account."""
    table = {**json.loads(terms.options), **json.loads(terms.limits)}
    linked = table.get("linked")
    owner = f"table {terms.table_id}" if linked is None else f"linked {linked}"
    for name in {**STARTS[terms.rules, terms.variant or ""], **table.get("start", {})}:
        yield name, f"{owner} ({terms.rules} {terms.variant}): {name}"
