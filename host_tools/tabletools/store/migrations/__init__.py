"""The migrations of the ledger, oldest first in `versions`."""
