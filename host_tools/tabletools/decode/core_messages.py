"""The messages of every table in words; those of one role are in tabletools.roles."""

from collections.abc import Mapping

from msgspec import field

from tabletools import roles
from tabletools.decode.sensor_samples import SelfTestResult, SensorSample
from tabletools.roles.role import (
    BallRun,
    Measured,
    Message,
    Record,
    count_of,
    measured_in,
    or_unknown,
    rotor,
)


class Identity(Message, frozen=True):
    """identity: what the table is and runs."""

    device: int
    boot: int
    authenticated: bool
    role: str | None
    board: str
    firmware_major: int
    firmware_minor: int
    firmware_patch: int
    schema: int
    key_number: int
    authentication: str
    reset_cause: str | None

    @property
    def firmware(self) -> str:
        """Its version, such as 1.0.2."""
        return f"{self.firmware_major}.{self.firmware_minor}.{self.firmware_patch}"

    def text(self) -> str:
        """Role, board, firmware, schema, trust, reset."""
        trust = f"key {self.key_number}" if self.key_number else self.authentication
        board = f"{or_unknown(self.role)} on {self.board}, firmware {self.firmware}"
        reset = f"reset by {or_unknown(self.reset_cause)}"
        return f"{board}, schema 0x{self.schema:08X}, {trust}, {reset}"


def firmware_version(identity: Record) -> str:
    """Return the firmware in an identity, such as 1.0.2."""
    return Identity.of_record(identity).firmware


class Heartbeat(Message, frozen=True):
    """heartbeat: phase, what the role counts, the rotor, and what waits or was lost."""

    role: str | None
    phase: str
    progress: int | None
    machine_direction: str | None
    machine_drpm: int | None
    faults: int
    unacknowledged: int
    edges_lost: int
    frames_skipped: int

    def text(self) -> str:
        """Those parts that say something."""
        parts = [self.phase]
        is_turning = (self.machine_drpm, self.machine_direction) != (None, None)
        if is_turning:
            parts.append(rotor(self.machine_drpm, self.machine_direction))
        counted = self._count("circuit" if is_turning else None)
        if counted:
            parts.append(counted)
        for name in ("faults", "unacknowledged", "edges_lost", "frames_skipped"):
            if number := getattr(self, name):
                parts.append(f"{name.replace('_', ' ')} {number}")
        return ", ".join(parts)

    def _count(self, unknown: str | None) -> str:
        """What was counted in the words of the role. unknown: the noun where no role is known."""
        if self.progress is None:
            return ""
        noun = roles.counted_noun(self.role, unknown)
        if noun is None:
            return f"{self.progress} counted"
        return count_of(self.progress, noun) if noun else ""


class State(Message, frozen=True):
    """state: a change of phase."""

    previous: str
    phase: str

    def text(self) -> str:
        """From and to."""
        return f"{self.previous} -> {self.phase}"


class _Setting(Message, frozen=True, kw_only=True):
    key: int
    key_name: str | None
    value: int
    previous: int

    @property
    def name(self) -> str:
        return self.key_name or f"key {self.key}"


class Configuration(_Setting, frozen=True, kw_only=True):
    """configuration: the value of a key and its limits."""

    low: int
    high: int

    def text(self) -> str:
        """Value, limits, and what it was."""
        text = f"{self.name} = {self.value} (allowed {self.low}..{self.high})"
        return text if self.previous == self.value else f"{text}, was {self.previous}"


class ConfigurationChanged(_Setting, frozen=True, kw_only=True):
    """configuration_changed: a value that was stored, and by what."""

    cause: str
    revision: int

    def text(self) -> str:
        """Value, cause, revision."""
        text = f"{self.name} = {self.value}, was {self.previous}"
        return f"{text}, by {self.cause}, revision {self.revision}"


class Refusal(Message, frozen=True):
    """refusal: a command that was not carried out."""

    command: str
    command_counter: int
    cause: str
    value: int
    low: int
    high: int
    contradicts: str | int | None
    """The key, or number of a key, that the value does not go with."""

    def text(self) -> str:
        """Command, cause, limits."""
        limit = f"{self.value}, allowed {self.low}..{self.high}"
        if self.cause == "not_understood":
            limit = f"wire 1.{self.value}, the table has 1.{self.high}"
        if self.contradicts:
            limit += f" with {self.contradicts}"
        return f"{self.command} #{self.command_counter}: {self.cause} ({limit})"


def played(layout: str, requirement: int) -> str:
    """Return what a round is played with, such as "double zero, 7 circuits". See round_opened."""
    text, noun = roles.layouts()[layout]
    return text.format(count_of(requirement, noun))


class RoundOpened(Message, frozen=True):
    """round_opened: bets are open."""

    layout: str
    requirement: int
    max_bet_ms: int

    def text(self) -> str:
        """With what it is played, and for how long."""
        text = played(self.layout, self.requirement)
        needed = "" if text == count_of(self.requirement, "die") else " needed"
        return f"bets open, {text}{needed}, at most {self.max_bet_ms / 1000:.0f} s"


class BetsClosed(Message, frozen=True):
    """bets_closed: no more bets."""

    cause: str
    open_ms: int

    def text(self) -> str:
        """By what, and after how long."""
        return f"{self.cause}, {self.open_ms / 1000:.1f} s after opening"


class RoundVoid(BallRun, frozen=True, kw_only=True):
    """round_void: a round without a result."""

    code: int | None
    reason: str | None
    phase: str
    sensor: str | None
    circuits_centi: int | None = field(name="progress_centi")
    ball_direction: str | None = field(name="object_direction")
    rotor_direction: str | None = field(name="machine_direction")
    rotor_drpm: int | None = field(name="machine_drpm")

    def text(self) -> str:
        """Why, where, and the run of the ball where there was one."""
        sensor = f", sensor {self.sensor}" if self.sensor else ""
        has_run = self.circuits_centi is not None or self.rotor_drpm is not None
        run = f", {self.run()}" if has_run else ""
        return f"{self.code} {self.reason} in phase {self.phase}{sensor}{run}"


# The wire has two numbers of a fault, value and limit; what they are follows from the fault, as
# the firmware raises it. Those of a role are in tabletools.roles. Of a contact that opened, a
# program that stopped or a card that was not read they measure nothing.
_OF_EVERY_ROLE: Mapping[str, Measured] = {
    **dict.fromkeys(("sensor_implausible", "edges_lost"), measured_in("edges")),
    "journal_full": measured_in("records"),
    "sensor_stuck": measured_in("us"),
    "memory_short": lambda _value, limit: f"{limit} bytes missing",
    "task_stopped": lambda _value, limit: f"{limit} times",
    "firmware_rollback": lambda value, limit: f"release {value}, the newest was {limit}",
}


def measure_text(fault: str, value: int, limit: int) -> str:
    """Return ", measured 415 cards, limit 416 cards"; empty where nothing was measured."""
    measured = _OF_EVERY_ROLE.get(fault) or roles.measures().get(fault)
    text = "" if measured is None else measured(value, limit)
    return f", {text}" if text else ""


class FaultRaised(Message, frozen=True):
    """fault_raised: a fault that begins."""

    code: int
    fault: str
    sensor: str | None
    value: int
    limit: int

    def text(self) -> str:
        """Code, sensor, value."""
        sensor = f", sensor {self.sensor}" if self.sensor else ""
        measured = measure_text(self.fault, self.value, self.limit)
        return f"{self.code} {self.fault} raised{sensor}{measured}"


class FaultCleared(Message, frozen=True):
    """fault_cleared: a fault that ends."""

    code: int
    fault: str
    active_ms: int | None

    def text(self) -> str:
        """Code and duration."""
        span = "an unknown time" if self.active_ms is None else f"{self.active_ms / 1000:.1f} s"
        return f"{self.code} {self.fault} cleared after {span}"


class Tamper(Message, frozen=True):
    """tamper: frames that the table refused."""

    kind: str
    count: int

    def text(self) -> str:
        """How many, and why."""
        return f"{self.count} frames refused, the first for {self.kind}"


class KeyChanged(Message, frozen=True):
    """key_changed: another key of the device is in force."""

    number: int
    previous: int

    def text(self) -> str:
        """Numbers of both keys."""
        return f"key {self.number} in force, before {self.previous or 'none'}"


MESSAGES: Mapping[str, type[Message]] = {
    "identity": Identity,
    "heartbeat": Heartbeat,
    "state": State,
    "configuration": Configuration,
    "configuration_changed": ConfigurationChanged,
    "refusal": Refusal,
    "round_opened": RoundOpened,
    "bets_closed": BetsClosed,
    "sensor_sample": SensorSample,
    "self_test_result": SelfTestResult,
    "round_void": RoundVoid,
    "fault_raised": FaultRaised,
    "fault_cleared": FaultCleared,
    "tamper": Tamper,
    "key_changed": KeyChanged,
}
