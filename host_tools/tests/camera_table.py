"""A host with a table of Sic Bo and a camera of its own above its tray, for tests of its page."""

from host_tools.tests.overhead_camera import tray
from host_tools.tests.served import ROLES, Host
from tabletools.dice.overhead.host_tray import file_of
from tabletools.pit.second_reader import Inline
from tabletools.pit.settings import TableSettings

NAMES = ("Dan", "Sue", "Tim", "Amy", "Cas")


def dice_table(name, device, reference):
    """Settings of a table whose line leads nowhere. reference: file of the tray."""
    return TableSettings(
        name,
        f"socket://127.0.0.1:{device}",
        device,
        "sic_bo",
        "hc2023",
        limits={"minimum": 500},
        dice_reading="host",
        dice_camera="nowhere.avi",
        dice_reference=str(reference),
    )


def camera_host(folder, place=None, more=(), device=9):
    """A host of a table D1, with its users, not started. more: tables."""
    reference = folder / "tray.png"
    if not reference.exists():
        reference.write_bytes(file_of(tray()))
    tables = [dice_table("D1", device, reference), *more]
    host = Host(place or str(folder / "ledger"), tables)
    # Pictures are read in this process: the camera is not there anyway.
    object.__setattr__(host.pit.context, "readers", Inline())
    for name, role in zip(NAMES, ROLES, strict=True):
        host.user(name, role)
    return host
