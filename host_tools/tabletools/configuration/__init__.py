"""Configurations for users: names, units, a file for each table, differences."""

from tabletools.configuration.file import dump, read
from tabletools.configuration.keys import assignment, find, line_of
from tabletools.configuration.plan import Change, changes, verify

__all__ = ["Change", "assignment", "changes", "dump", "find", "line_of", "read", "verify"]
