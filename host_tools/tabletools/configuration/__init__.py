"""Configurations for users: names, units, a file for each table, differences."""

from tabletools.configuration.file import dumped, read
from tabletools.configuration.keys import assignment, find, shown
from tabletools.configuration.plan import Change, changes, verify

__all__ = ["Change", "assignment", "changes", "dumped", "find", "read", "shown", "verify"]
