"""A Merkle tree over digests (RFC 9162, 2.1, SHA-256): one signed root proves each of them.

The proof of one leaf among n is at most ceil(log2(n)) digests, and reveals no other leaf.
"""

import hashlib
from collections.abc import Iterable, Sequence

_LEAF, _NODE = b"\0", b"\1"


def root(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaves in this order; memory grows with the logarithm of their count.

    Raises ValueError without a leaf.
    """
    whole: list[tuple[int, bytes]] = []  # perfect trees from left to right: leaves, root
    for leaf in leaves:
        size, digest = 1, _leaf(leaf)
        while whole and whole[-1][0] == size:
            size, digest = 2 * size, _node(whole.pop()[1], digest)
        whole.append((size, digest))
    if not whole:
        raise ValueError("a tree has a leaf")
    digest = whole.pop()[1]
    while whole:
        digest = _node(whole.pop()[1], digest)
    return digest


def levels(leaves: Iterable[bytes]) -> list[list[bytes]]:
    """Return the whole tree from its leaves to its root, which the last level has alone."""
    level = [_leaf(leaf) for leaf in leaves]
    whole = [level]
    while len(level) > 1:
        pairs = [level[start : start + 2] for start in range(0, len(level), 2)]
        level = [_node(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        whole.append(level)
    return whole


def path(whole: Sequence[Sequence[bytes]], place: int) -> list[bytes]:
    """Return the digests that lead from a leaf to the root. place: from 0 on."""
    steps = []
    for level in whole[:-1]:
        beside = place ^ 1
        if beside < len(level):
            steps.append(level[beside])
        place //= 2
    return steps


def root_from(leaf: bytes, place: int, count: int, steps: Sequence[bytes]) -> bytes:
    """Return the root that a path leads to. count: leaves of the tree. Raises ValueError for a
    path of another length, and for a place that the tree does not have.
    """
    if not 0 <= place < count:
        raise ValueError(f"place {place} of {count}")
    digest, last, rest = _leaf(leaf), count - 1, iter(steps)
    while last:
        if place & 1 or place < last:
            step = next(rest, None)
            if step is None:
                raise ValueError("the path is too short")
            digest = _node(step, digest) if place & 1 else _node(digest, step)
        place, last = place >> 1, last >> 1
    if next(rest, None) is not None:
        raise ValueError("the path is too long")
    return digest


def _leaf(digest: bytes) -> bytes:
    return hashlib.sha256(_LEAF + digest).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()
