"""Whether a wheel or dice fall evenly: tests, verdict, power, pictures. No bet hangs on it."""

from tabletools.audit.machines import MACHINES, Machine
from tabletools.audit.report import Report, audit
from tabletools.audit.spins import Spins, read_spins

__all__ = ["MACHINES", "Machine", "Report", "Spins", "audit", "read_spins"]
