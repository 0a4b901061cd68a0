"""Configurations for users: names, units, a file for each table, differences."""

from tabletools.configuration.file import dumped, read
from tabletools.configuration.keys import assignment, find, line_of
from tabletools.configuration.plan import Change, changes, verify

__all__ = ["Change", "assignment", "changes", "dumped", "find", "line_of", "read", "verify"]
