"""Whether a wheel or dice are fair: tests, verdict, power, pictures. No bet depends on it."""

from tabletools.audit.audit_machines import MACHINES, Machine
from tabletools.audit.audit_report import Report, audit
from tabletools.audit.spins import Spins, read_spins

__all__ = ["MACHINES", "Machine", "Report", "Spins", "audit", "read_spins"]
