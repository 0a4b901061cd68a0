"""The present state of one table, computed from its records; nothing else computes it.

Records in, in the order of the line; fields out, unknown is None. The pit publishes the fields to
its watchers, the console draws them. Knows no port, no ledger and no drawing.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import msgspec.structs

from tabletools import roles
from tabletools.decode.core_messages import (
    BetsClosed,
    FaultCleared,
    FaultRaised,
    Identity,
    RoundOpened,
    State,
    firmware_version,
)
from tabletools.roles.frame_record import Head, head_of
from tabletools.roles.role import Record


class _Heartbeat(msgspec.Struct):
    phase: str
    round: int
    fault_count: int = msgspec.field(name="faults")
    progress: int | None
    machine_direction: str | None
    machine_drpm: int | None
    unacknowledged: int
    edges_lost: int
    free_bytes: int | None
    largest_free_bytes: int | None


@dataclass
class LiveState:
    """What is known of a table now.

    seal: of the newest frame. identity: of the table. round: its number. layout, requirement: of
    the round, as in round_opened. fault_count: active faults by the table's count, which may
    include faults raised before this state began. faults: raised and not cleared since it began,
    by code. dealt: cards or balls of the round, by their places. machine: the newest reports of
    the machine, such as shuffle, shoe, throw.
    """

    device: int | None = None
    boot: int | None = None
    seal: str | None = None
    role: str | None = None
    identity: Record | None = None
    phase: str | None = None
    round: int | None = None
    layout: str | None = None
    requirement: int | None = None
    progress: int | None = None
    machine_direction: str | None = None
    machine_drpm: int | None = None
    closed_by: str | None = None
    unacknowledged: int | None = None
    edges_lost: int | None = None
    free_bytes: int | None = None
    largest_free_bytes: int | None = None
    fault_count: int | None = None
    faults: dict[int, FaultRaised] = field(default_factory=dict)
    dealt: dict[int, str] = field(default_factory=dict)
    machine: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def firmware(self) -> str | None:
        """The firmware of the table, such as 1.0.2."""
        return None if self.identity is None else firmware_version(self.identity)

    @property
    def board(self) -> str | None:
        """The board that the table runs on, by its own account."""
        return None if self.identity is None else Identity.of_record(self.identity).board

    @property
    def dealt_in_order(self) -> list[str]:
        """Cards or balls of the round in the order of their places."""
        return [self.dealt[place] for place in sorted(self.dealt)]

    def update(self, record: Record) -> None:
        """Take one record of the table."""
        head = head_of(record)
        if self._is_past(head):
            return
        if head.device != self.device:
            vars(self).update(vars(LiveState()))  # facts of one table do not apply to another
        self.device, self.boot, self.seal = head.device, head.boot, head.seal
        self.role = head.role or self.role
        if head.type in roles.live_reports():
            name, fields = roles.live_reports()[head.type]
            self._report(name, {each: record[each] for each in fields})
        if head.type in roles.deals():
            self._deal(*roles.deals()[head.type](record))
        follow = getattr(self, f"_{head.type}", None)
        if follow is not None:
            follow(record)

    def _is_past(self, head: Head) -> bool:
        """Whether it is a repeated record of a boot or round before the present one."""
        is_repeat = "retransmitted" in head.flags and head.device == self.device
        return is_repeat and (head.boot, head.round) < (self.boot, self.round or 0)

    def _report(self, name: str, facts: dict[str, Any]) -> None:
        self.machine = {**self.machine, name: facts}

    def _deal(self, place: int | None, text: str) -> None:
        if place is not None:
            self.dealt = {**self.dealt, place: text}

    def _identity(self, record: Record) -> None:
        self.identity = record

    def _heartbeat(self, record: Record) -> None:
        vars(self).update(msgspec.structs.asdict(msgspec.convert(record, _Heartbeat)))
        if not self.fault_count:
            self.faults = {}

    def _state(self, record: Record) -> None:
        self.phase = State.of_record(record).phase

    def _round_opened(self, record: Record) -> None:
        opened = RoundOpened.of_record(record)
        self.round = head_of(record).round
        self.layout, self.requirement = opened.layout, opened.requirement
        self.progress = self.closed_by = None
        self.dealt = {}

    def _bets_closed(self, record: Record) -> None:
        self.closed_by = BetsClosed.of_record(record).cause

    def _card_dealt(self, record: Record) -> None:
        self._report("shoe", {**self.machine.get("shoe", {}), "drawn": record["shoe_index"]})

    def _fault_raised(self, record: Record) -> None:
        fault = FaultRaised.of_record(record)
        self.faults = {**self.faults, fault.code: fault}

    def _fault_cleared(self, record: Record) -> None:
        cleared = FaultCleared.of_record(record).code
        self.faults = {code: each for code, each in self.faults.items() if code != cleared}
