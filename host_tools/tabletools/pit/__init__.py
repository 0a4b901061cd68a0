"""The running host: a thread for each table it owns, from the link into the ledger.

Empty on purpose: settings are read without loading the ledger's libraries.
"""
