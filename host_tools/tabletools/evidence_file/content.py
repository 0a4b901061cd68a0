"""What the rows of an evidence file say: frames decoded again, settlements settled again.

Every row is compared with what it follows from; what cannot be derived from the file is said.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

from tabletools.authenticity import VERIFIED
from tabletools.decode.stored_frames import assembled, differences
from tabletools.evidence_file import meter_levels, trace_replay
from tabletools.evidence_file.layout import COLUMNS, Row
from tabletools.evidence_file.meter_levels import ACCOUNTS, Level, MeterLevels
from tabletools.evidence_file.reading import Contents
from tabletools.roles import Played, outcome_of
from tabletools.roles.frame_record import FrameRow, decoded
from tabletools.rules.violation import RuleViolation
from tabletools.shadow import Impossible, Unjudged, settled_round
from tabletools.shadow.verdict import GARBLED, Cents
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.messages import BETS_CLOSED, ROUND_ENDS, ROUND_OPENED, TRACE_CHUNK

_JACKPOT = "jackpot"
_MORE_CENTS = 1_000
"""Added to a meter to see whether a settlement depends on it."""
_SUMS = ("win_cents", "back_cents", "live_cents", "lost_cents")
_RULED = frozenset(("round_ruled", "round_resettled", "stakes_ended"))


class RoundAlarm(NamedTuple):
    """An alarm of a round, as it was at the time of the export. Times UTC, ns."""

    kind: str
    code: int | None
    """Of a fault."""
    text: str
    at_ns: int
    acknowledged_ns: int | None
    normal_ns: int | None
    """When nothing was left of it."""


class MeterChange(NamedTuple):
    """What a round did to a meter: what that held before it, and what its settlement added."""

    before_cents: int
    added_cents: int
    """By the settlement in force: contributions, less what was won, plus the new start."""


class CheckedRound(NamedTuple):
    """What the file has of a round. frames, bets: how many."""

    round: int
    """As its device counts."""
    device: int
    verdict: str
    frames: int
    bets: int
    generations: int
    """How often it was settled."""
    outcome: Any
    """Of the settlement in force, as JSON; None if it was not settled."""
    meters: dict[str, MeterChange]
    """Of a jackpot, by name."""
    alarms: list[RoundAlarm]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return self._asdict() | {
            "meters": {name: change._asdict() for name, change in self.meters.items()},
            "alarms": [alarm._asdict() for alarm in self.alarms],
        }


class Findings:
    """What was found: problems, what is not proved, and what each round came to."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.not_proved: list[str] = []
        self.rounds: list[CheckedRound] = []
        self.frames = self.settlements = self.bets = self.replays = 0


class _Tables:
    """The rows of a file by table, each with its columns as attributes."""

    def __init__(self, contents: Contents) -> None:
        self._rows: dict[str, dict[Row, Any]] = defaultdict(dict)
        self._by_value: dict[tuple[str, str], dict[object, list[Any]]] = {}
        self.meters = MeterLevels(contents)
        self.problems: list[str] = [*self.meters.problems]
        for part in contents.parts:
            for name, rows in part.rows.items():
                if name == ACCOUNTS:
                    continue  # each entry has its own
                for row in rows:
                    self._add(name, row)

    def _add(self, name: str, row: Row) -> None:
        key = row[: COLUMNS[name][0]]
        known = self._rows[name].setdefault(key, kind_of(name)(*row))
        if tuple(known) != row:
            self.problems.append(f"{name} {key[0]}: twice in the file, and different")

    def all(self, name: str, **values: object) -> list[Any]:
        """Return the rows of a table that have these values; the first one is looked up."""
        column, *_ = values
        index = self._by_value.get((name, column))
        if index is None:
            index = self._by_value[name, column] = defaultdict(list)
            for row in self._rows.get(name, {}).values():
                index[getattr(row, column)].append(row)
        rows = index.get(values[column], [])
        return [
            row for row in rows if all(getattr(row, key) == each for key, each in values.items())
        ]

    def get(self, name: str, *key: object) -> Any:
        """Return a row by its key, None if the file lacks it."""
        return self._rows.get(name, {}).get(key)


@cache
def kind_of(name: str) -> Any:
    """Return the type of the rows of a table."""
    if name == "frames":
        return FrameRow
    columns = COLUMNS[name][1]
    return NamedTuple(f"{name}_row", [(column, Any) for column in columns])


def check(contents: Contents) -> Findings:
    """Return what follows from the rows."""
    tables, findings = _Tables(contents), Findings()
    findings.problems += tables.problems
    header = contents.header
    stated = {key: (device, number) for key, device, number in header.rounds}
    present = {key for key in stated if tables.get("rounds", key) is not None}
    missing = sorted(stated.keys() - present)
    findings.problems += [f"round {key}: its row is missing" for key in missing]
    if len(stated) != len(header.rounds) or not stated:
        findings.problems.append("the file is about no round, or about one twice")
    for key in sorted(present):
        row = tables.get("rounds", key)
        try:
            if (row.device, row.number, row.table_id) != (*stated[key], header.table):
                findings.problems.append(f"round {key}: not the one that the file is about")
            _Round(tables, row, findings).check()
        except (*GARBLED, ArithmeticError, RecursionError, RuleViolation) as error:
            findings.problems.append(f"round {row.number}: cannot be read: {error!r:.200}")
    return findings


class _Round:
    """One round of a file."""

    def __init__(self, tables: _Tables, row: Any, findings: Findings) -> None:
        self._tables, self._row, self._findings = tables, row, findings
        self._where = f"round {row.number}"
        self._bets = tables.all("bets", round_id=row.id)
        self._settled: list[Any] = []  # its settlements, oldest first
        self._meters: dict[str, MeterChange] = {}

    def check(self) -> None:
        """Check all of it."""
        frames = self._frames()
        self._trace(frames)
        self._outcome(frames)
        paid = [self._settlement(each) for each in self._generations()]
        self._left_out()
        self._postings()
        row = self._row
        self._findings.rounds.append(
            CheckedRound(
                round=row.number,
                device=row.device,
                verdict=row.verdict,
                frames=len(frames),
                bets=len(self._bets),
                generations=len(paid),
                outcome=paid[-1] if paid else None,
                meters=self._meters,
                alarms=[self._alarm(each) for each in self._alarms()],
            )
        )

    def _alarms(self) -> list[Any]:
        return sorted(self._tables.all("alarms", round_id=self._row.id), key=lambda each: each.id)

    def _alarm(self, alarm: Any) -> RoundAlarm:
        if alarm.table_id not in (None, self._row.table_id):
            self._wrong(f"alarm {alarm.id} is of another table")
        return RoundAlarm(*(getattr(alarm, name) for name in RoundAlarm._fields))

    def _wrong(self, text: str) -> None:
        self._findings.problems.append(f"{self._where}: {text}")

    def _not_proved(self, text: str) -> None:
        self._findings.not_proved.append(f"{self._where}: {text}")

    # --- what the table sent ---------------------------------------------------------------------

    def _frames(self) -> dict[int, FrameRow]:
        row = self._row
        own = {
            frame.id: frame
            for frame in self._tables.all("frames", device=row.device, round=row.number)
        }
        for frame in own.values():
            self._frame(frame)
        for name, kinds in (
            ("opened", (ROUND_OPENED,)),
            ("closed", (BETS_CLOSED,)),
            ("ended", tuple(ROUND_ENDS)),
        ):
            key = getattr(row, name)
            if key is not None and (key not in own or own[key].type not in kinds):
                self._wrong(f"the frame that {name} it is missing, or of another kind")
        self._findings.frames += len(own)
        return own

    def _frame(self, frame: FrameRow) -> None:
        for text in differences(frame):
            self._wrong(f"frame {frame.id}: {text}")
        if frame.seal != VERIFIED:
            self._not_proved(f"frame {frame.id}: the host itself could not verify its tag")
        elif frame.line_session_id is not None:
            session = self._tables.get("line_sessions", frame.line_session_id)
            if session is None or session.device != frame.device:
                self._wrong(f"frame {frame.id}: the session that verified it is missing")

    def _trace(self, frames: Mapping[int, FrameRow]) -> None:
        row = self._row
        for trace in self._tables.all("traces", device=row.device, round=row.number):
            items = Receiver().feed(trace.raw)
            is_ours = all(
                isinstance(item, Frame)
                and item.type == TRACE_CHUNK
                and item.device == row.device
                and item.values[0] == row.number
                for item in items
            )
            if not is_ours or len(assembled(trace.raw)) != trace.bytes:
                self._wrong(f"trace {trace.id}: its bytes are not the trace of this round")
            elif trace.bytes:
                self._replay(trace, frames.get(row.ended))

    def _replay(self, trace: Any, ended: FrameRow | None) -> None:
        """Make the decision of the device again from its trace."""
        row, record = self._row, None
        for item in () if ended is None else Receiver().feed(ended.raw):
            if isinstance(item, Frame):
                record = item.type, item.values
        played = self._terms_of_play() if self._bets and row.settled else None
        replay = trace_replay.replay(trace.raw, row.device, row.number, record, played)
        where = f"trace {trace.id}"
        for text in replay.problems:
            self._wrong(f"{where}, replayed: {text}")
        if replay.reason:
            self._not_proved(f"{where}: that the device decided by it: {replay.reason}")
        self._findings.replays += replay.is_proved

    # --- the outcome -----------------------------------------------------------------------------

    def _outcome(self, frames: Mapping[int, FrameRow]) -> None:
        """Derive the outcome of the table again from its frames."""
        result, row = self._tables.get("results", self._row.id), self._row
        if result is None:
            return
        if result.frame_id != row.ended or row.ended not in frames:
            self._wrong("its result is not of the frame that ended it")
            return
        if self._tables.all("dealer_entries", round_id=row.id):
            self._not_proved("its outcome again from the frames: the dealer entered a part of it")
            return
        if self._tables.get("second_readings", row.id):
            self._not_proved("its dice again from the picture: that takes the release of the host")
            return
        played = self._terms_of_play()
        counting = [frame for frame in frames.values() if frame.counts]
        records = [decoded(frame) for frame in sorted(counting, key=lambda each: each.place)]
        try:
            outcome = outcome_of(played, decoded(frames[row.ended]), records)
        except RuleViolation as refusal:
            self._not_proved(f"its outcome again from the frames: {refusal}")
            return
        if json.loads(json.dumps(outcome)) != json.loads(result.outcome):
            self._wrong(f"its frames say {json.dumps(outcome)}, its result {result.outcome}")

    def _terms_of_play(self) -> Played:
        terms = self._terms()
        return Played(
            terms.game,
            terms.rules,
            json.loads(terms.options),
            terms.variant,
            terms.dice_reading or "",
        )

    def _terms(self) -> Any:
        terms = self._tables.get("terms", self._row.terms_id)
        if terms is None or terms.table_id != self._row.table_id:
            raise ValueError("the terms under which it was played are missing")
        return terms

    # --- settlements -----------------------------------------------------------------------------

    def _generations(self) -> list[Any]:
        own = self._tables.all("round_settlements", round_id=self._row.id)
        own.sort(key=lambda each: each.generation)
        if [each.generation for each in own] != list(range(1, self._row.settled + 1)):
            self._wrong(f"it was settled {self._row.settled} times, the file has {len(own)}")
        self._settled = own
        return own

    def _settlement(self, settled: Any) -> Any:
        """Settle one generation again; returns its outcome."""
        lines = self._lines(settled.generation)
        sums = {name: sum(getattr(line, name) for line in lines) for name in _SUMS}
        sums |= {"stake_cents": sum(line.settled_cents for line in lines)}
        if len(lines) != settled.bets or any(
            getattr(settled, name) != cents for name, cents in sums.items()
        ):
            self._wrong(f"settlement {settled.generation}: its bets do not add up to it")
        self._by_table_or_users(settled)
        self._settle_again(settled, lines)
        self._money(settled, lines)
        return json.loads(settled.outcome)

    def _lines(self, generation: int) -> list[Any]:
        lines = []
        for paid in self._tables.all("settlements", round_id=self._row.id, generation=generation):
            bet = self._tables.get("bets", paid.bet_id)
            if bet is None or bet.round_id != self._row.id:
                self._wrong(f"bet {paid.bet_id} was settled and is missing")
                continue
            facts = {name: getattr(paid, name) for name in (*settled_round.PAID, "rule")}
            lines.append(
                SimpleNamespace(
                    **facts,
                    id=bet.id,
                    account_id=bet.account_id,
                    slip=bet.slip,
                    stake_cents=bet.stake_cents,
                    state_before=bet.state,
                    carried_from=bet.carried_from,
                    settled_cents=paid.stake_cents,
                )
            )
        return sorted(lines, key=lambda line: line.id)

    def _by_table_or_users(self, settled: Any) -> None:
        """Check that the result of the table was settled, or that two users decided."""
        name = f"settlement {settled.generation}"
        if settled.first_user is None:
            result = self._tables.get("results", self._row.id)
            entered = self._tables.all("dealer_entries", round_id=self._row.id)
            if not entered and (result is None or result.outcome != settled.outcome):
                self._wrong(f"{name}: not by the result of the table, and by no user")
            return
        about = (f"round {self._row.id}", f"table {self._row.table_id}")
        self._by_users(name, settled, _RULED, about)

    def _by_users(
        self, name: str, decision: Any, actions: Collection[str], about: Collection[str]
    ) -> None:
        """Check that the audit log has two users who decided something.

        about: subjects of its rows.
        """
        notes = self._tables.all("audit_log", at_ns=decision.at_ns)
        for user in (decision.first_user, decision.second_user):
            own = [
                note
                for note in notes
                if note.user_id == user and note.subject in about and note.action in actions
            ]
            if not own:
                self._wrong(f"{name}: no row of the audit log says that user {user} decided it")

    def _settle_again(self, settled: Any, lines: Sequence[Any]) -> None:
        terms, row, where = self._terms(), self._row, f"{self._where}, {settled.generation}"
        facts = SimpleNamespace(
            outcome=settled.outcome,
            is_void=settled.is_void,
            first_user=settled.first_user,
            device=row.device,
            opened=row.opened,
            closed=row.closed,
            ended=row.ended,
            game=terms.game,
            rules=terms.rules,
            variant=terms.variant,
            options=terms.options,
            limits=terms.limits,
            void_policy=terms.void_policy,
        )
        name, before = f"settlement {settled.generation}", self._levels(terms)
        levels = {meter: level.cents for meter, level in before.items()}
        try:
            verdicts = settled_round.settle_again(facts, lines, levels)
            after = settled_round.meters_after(facts, lines, levels)
        except Unjudged as unjudged:
            self._not_proved(f"{name} again: {unjudged}")
            return
        except Impossible as error:
            self._wrong(f"{name}: cannot be settled again: {error}")
            return
        for line, verdict in zip(lines, verdicts, strict=True):
            self._findings.problems += map(
                str, settled_round.line_differences(where, line, verdict)
            )
        keys = {row.opened, row.closed, row.ended} - {None}
        frames = {key: self._tables.get("frames", key) for key in keys}
        if None not in frames.values():
            self._findings.problems += map(str, settled_round.undone(where, facts, lines, frames))
        self._unproved_levels(facts, lines, before, verdicts)
        self._meter_lines(settled, before, after)
        self._findings.settlements += 1
        self._findings.bets += len(lines)

    # --- jackpots --------------------------------------------------------------------------------

    def _levels(self, terms: Any) -> dict[str, Level]:
        """Return the meters of a jackpot before the round was first settled; {} without."""
        if terms.game != _JACKPOT:
            return {}
        first = self._settled[0].posting_id
        return {
            name: self._tables.meters.before(account, first)
            for name, account in meter_levels.names(terms)
        }

    def _unproved_levels(
        self, facts: Any, lines: Sequence[Any], before: Mapping[str, Level], verdicts: Any
    ) -> None:
        """Name the levels that decide bets and that the entry of the settlement does not have."""
        levels = {name: level.cents for name, level in before.items()}
        for name, level in before.items():
            other = levels | {name: level.cents + _MORE_CENTS}
            if level.is_own or settled_round.settle_again(facts, lines, other) == verdicts:
                continue
            self._not_proved(
                f"meter {name}: that it held {level.cents} cents since entry {level.entry}:"
                " its settlement left it unchanged"
            )

    def _meter_lines(
        self, settled: Any, before: Mapping[str, Level], after: Mapping[str, Cents]
    ) -> None:
        """Check what a settlement added to the meters of a jackpot.

        A correction leaves a meter unchanged if another round has changed it since.
        """
        for name, level in before.items():
            added = self._lines_of(settled.posting_id).get(level.account, 0)
            wanted, where = after[name] - level.cents, f"settlement {settled.generation}"
            self._meters[name] = MeterChange(level.cents, added)
            former = [each for each in self._settled if each.generation < settled.generation]
            stays = former and added == self._lines_of(former[-1].posting_id).get(level.account, 0)
            if self._is_moved(level.account, [*former, settled]):
                if not stays:
                    self._wrong(f"{where}: changed meter {name}, which another round has moved")
            elif added != wanted and stays:
                self._not_proved(f"{where}: that another round moved meter {name} and back")
            elif added != wanted:
                self._wrong(f"{where}: added {added} cents to meter {name}, not {wanted}")

    def _is_moved(self, account: int, generations: Sequence[Any]) -> bool:
        """Whether a meter changed between settlements of the round."""
        meters = self._tables.meters
        return any(
            meters.cents_before(account, then.posting_id)
            + self._lines_of(then.posting_id).get(account, 0)
            != meters.cents_before(account, now.reversal_id or now.posting_id)
            for then, now in pairwise(generations)
        )

    # --- money -----------------------------------------------------------------------------------

    def _lines_of(self, posting: int | None) -> dict[int, int]:
        return {
            line.account_id: line.amount_cents
            for line in self._tables.all("ledger_lines", posting_id=posting)
        }

    def _money(self, settled: Any, lines: Sequence[Any]) -> None:
        """Check that players were paid what their bets came to, and that a reversal reverses."""
        paid, name = self._lines_of(settled.posting_id), f"settlement {settled.generation}"
        due: Counter[int] = Counter()
        for line in lines:
            due[line.account_id] += line.win_cents + line.back_cents
        for account, cents in sorted(due.items()):
            if paid.get(account, 0) != cents:
                self._wrong(
                    f"{name}: posted {paid.get(account, 0)} cents to account {account},"
                    f" its bets came to {cents}"
                )
        if settled.reversal_id is not None:
            reversal = self._tables.get("postings", settled.reversal_id)
            before = self._lines_of(None if reversal is None else reversal.reverses)
            after = self._lines_of(settled.reversal_id)
            if {account: -cents for account, cents in before.items()} != after:
                self._wrong(f"{name}: posting {settled.reversal_id} does not reverse the former")

    def _left_out(self) -> None:
        """Check that every bet in play is in the settlement in force."""
        if not self._row.settled:
            if self._bets:
                self._not_proved("what its bets came to: it is not settled")
            return
        for bet in self._bets:
            is_out = self._tables.get("withdrawals", bet.id) or self._tables.get(
                "referrals", bet.id
            )
            is_settled = self._tables.get("settlements", bet.id, self._row.settled)
            if bet.standing == "valid" and not is_out and not is_settled:
                self._wrong(f"bet {bet.id} is in play, and in no settlement")

    def _postings(self) -> None:
        """Check the postings of the round and of what two users adjusted for it."""
        key = self._row.id
        adjusted = self._tables.all("adjustments", round_id=key)
        numbers = {each.id for each in self._tables.all("postings", round_id=key)}
        for number in sorted(numbers | {each.posting_id for each in adjusted}):
            if self._tables.get("postings", number) is None:
                self._wrong(f"posting {number} is missing")
            if sum(self._lines_of(number).values()):
                self._wrong(f"posting {number}: its lines do not add up to 0")
        for each in adjusted:
            if self._lines_of(each.posting_id).get(each.account_id) != each.amount_cents:
                self._wrong(f"adjustment {each.posting_id}: another amount than was posted")
            about = (f"account {each.account_id}",)
            self._by_users(f"adjustment {each.posting_id}", each, ("adjusted",), about)
        for bet in self._bets:
            if (ruling := self._tables.get("rulings", bet.id)) is not None:
                self._by_users(f"bet {bet.id}", ruling, ("bet_ruled",), (f"bet {bet.id}",))
            if bet.carried_from is None:
                posting = self._tables.get("postings", bet.posting_id)
                cents = self._lines_of(bet.posting_id).get(bet.account_id)
                if posting is None or cents != -bet.stake_cents:
                    self._wrong(f"bet {bet.id}: its stake was not posted")
