"""Offers of a centre to a pit: a firmware release or a configuration, which a person there takes.

An offer is a signed file, so how it comes proves nothing and needs no trust. Nothing is installed
by it: to take one is a decision in the audit log, after which its content may be written out.
"""

from tabletools.offers.decisions import (
    DECLINED,
    TAKEN,
    Decided,
    Decision,
    Offered,
    decide,
    offered,
)
from tabletools.offers.inbox import Inbox
from tabletools.offers.signed_offer import (
    CONFIGURATION,
    FIRMWARE,
    KINDS,
    WITHDRAWAL,
    NotAnOffer,
    Offer,
    encoded,
    read,
)

__all__ = [
    "CONFIGURATION",
    "DECLINED",
    "FIRMWARE",
    "KINDS",
    "TAKEN",
    "WITHDRAWAL",
    "Decided",
    "Decision",
    "Inbox",
    "NotAnOffer",
    "Offer",
    "Offered",
    "decide",
    "encoded",
    "offered",
    "read",
]
