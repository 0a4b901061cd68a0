"""Stuffing by the definition of COBS, for frames longer than a sender makes too."""


def stuffed(body):
    """COBS by the textbook: groups end at zeros or after 254 bytes."""
    out = b""
    groups = body.split(b"\0")
    for number, group in enumerate(groups, 1):
        is_full = len(group) >= 254
        while len(group) >= 254:
            out, group = out + b"\xff" + group[:254], group[254:]
        if group or number < len(groups) or not is_full:
            out += bytes([len(group) + 1]) + group
    return out + b"\0"
