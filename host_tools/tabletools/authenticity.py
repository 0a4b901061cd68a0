"""How far a frame is to be trusted: the words that link, store and decoder share."""

NONE = "none"  # no tag: a table without a key, for the bench alone
UNVERIFIED = "unverified"  # a tag, and no key here, or no session, to check it with
VERIFIED = "verified"  # made by the holder of the key, in the session it belongs to

WRONG = "wrong"  # in a recording: a tag that is of no session it shows

# As a person reads them.
LABELS = {
    NONE: "UNAUTHENTICATED - BENCH ONLY",
    UNVERIFIED: "NOT VERIFIED (no key here)",
    VERIFIED: "authenticated",
    WRONG: "TAG WRONG",
}
