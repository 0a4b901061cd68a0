"""Configurations for users: names, units, a file for each table, differences."""

from tabletools.configuration.change_plan import Change, changes, verify
from tabletools.configuration.key_names import assignment, find, line_of
from tabletools.configuration.toml_file import dump, parsed, read

__all__ = [
    "Change",
    "assignment",
    "changes",
    "dump",
    "find",
    "line_of",
    "parsed",
    "read",
    "verify",
]
