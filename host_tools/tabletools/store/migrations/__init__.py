"""The revisions of the schema, in `versions`: how a database of an earlier release is upgraded."""
