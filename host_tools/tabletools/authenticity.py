"""How far a frame is authenticated: the words that link, store and decoder share."""

NONE = "none"  # no tag: a table without a key, for the bench only
UNVERIFIED = "unverified"  # a tag, but no key or no session here to check it with
VERIFIED = "verified"  # made by the holder of the key, in the right session

WRONG = "wrong"  # in a recording: a tag of none of its sessions

# As shown to users.
LABELS = {
    NONE: "UNAUTHENTICATED - BENCH ONLY",
    UNVERIFIED: "NOT VERIFIED (no key here)",
    VERIFIED: "authenticated",
    WRONG: "TAG WRONG",
}
