"""A casino table as one typed value, owned by the host that leases it.

`state` is the value; `loading` reads it from the database once a lease; `shell` runs a
transaction on it; `rounds`, `windows` and `settling` say what a record changes in it.
"""
