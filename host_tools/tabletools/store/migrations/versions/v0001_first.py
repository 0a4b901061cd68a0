"""The schema of release 1.0, with which the revisions begin.

Nothing runs it: a new database is created from the metadata, with the newest revision as its own.
"""

revision = "0001"
down_revision = None
