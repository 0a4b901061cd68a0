"""What a calibration of any role is, and how it asks a table."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tabletools.cli.diag import asking
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.diag import calibrate
from tabletools.diag.check import SKIP, Check
from tabletools.errors import ToolError


class Request(NamedTuple):
    """What is to be calibrated, by the options of `tabletool diag`."""

    client: TableClient
    what: str
    reported: int | None = None
    """Place that the table reported, from the index on."""
    true: int | None = None
    """Place that a person saw."""
    seconds: float | None = None
    """How long sensors are watched; None: as usual for what is calibrated."""
    ledger: str = ""
    """Database with rounds of the table."""
    prepared: object = None
    """What `Calibration.prepare` returned."""
    yes: bool = False
    """Whether values are stored without asking."""

    def watch_ms(self, usual_ms: int) -> int:
        """How long sensors are watched."""
        return usual_ms if self.seconds is None else int(self.seconds * 1000)


class Calibration(NamedTuple):
    """One calibration: asks, changes the configuration, checks."""

    measure: Callable[[Request], list[Check]]
    needs_maintenance: bool = True
    """Whether the table is in maintenance from first to last."""
    prepare: Callable[[str, Path | None, str], object] = lambda _port, _keys, _traces: None
    """Called before the table is connected to, with its port, the keyring and --traces."""


class Calibrations(NamedTuple):
    """Those of one role."""

    by_name: Mapping[str, Calibration]
    present: Callable[[TableClient], list[Check]] = lambda _client: []
    """The checks of what the table was calibrated to."""


class Places(NamedTuple):
    """The places round a wheel: keys of its offset and its kind, and how many each kind has."""

    offset: int
    kind: int
    counts: tuple[int, ...]

    def count(self, client: TableClient) -> int:
        """How many this wheel has."""
        return self.counts[client.value(self.kind) - 1]


def offset(request: Request, places: Places) -> list[Check]:
    """Calibrate the offset of a wheel by one place that it reported, and the true one."""
    client, what, reported, true = request[:4]
    if reported is None or true is None:
        raise ToolError(
            "what did the table report, and what was true?",
            where="--reported and --true",
            step="spin once; give both places, counted from the index on",
        )
    old = client.value(places.offset)
    new = calibrate.offset(old, reported, true, places.count(client))
    change(client, {places.offset: old}, {places.offset: new})
    stored = client.value(places.offset)
    if new == old:
        return [calibrate.checked(what, reported, true)]
    note = f"was {old}; spin, and give both places again: the check"
    return [
        calibrate.checked(f"{what} stored", stored, new),
        Check(f"calibration: {what}", SKIP, new, note=note),
    ]


def store(client: TableClient, new: Mapping[int, int]) -> None:
    """Set keys of the configuration, in this order."""
    change(client, {key: client.value(key) for key in new}, new)


def value_of(test: asking.SelfTest, sensor: str, quantity: str) -> int:
    """Return what a self-test reported of a sensor. Raises ToolError if it reported nothing."""
    value = test.value(sensor, quantity)
    if value is None:
        raise ToolError(
            f"the table reported no {quantity} of {sensor}",
            cause="nothing passed it while it was watched",
            step="is the table in maintenance?",
        )
    return value
