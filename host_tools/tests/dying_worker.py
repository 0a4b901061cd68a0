"""Work that ends its worker, as a lost machine does. Imported by the workers of a cluster."""

import os
import signal
from pathlib import Path
from typing import NamedTuple


class Job(NamedTuple):
    """Twice a number; while there is a file, the worker dies with it: with "once" in it, once."""

    number: int
    death: str = ""


def doubled(job):
    """Do a job, or die."""
    death = Path(job.death)
    if job.death and death.exists():
        if death.read_text() == "once":
            death.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * job.number
