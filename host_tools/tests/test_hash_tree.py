"""The tree of digests: roots of the Certificate Transparency test vectors, and every path."""

import pytest

from tabletools import hash_tree

# Of the test data of RFC 6962's reference implementation: leaves, and the root of the first n.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@pytest.mark.parametrize("count", range(1, 9))
def test_roots_are_those_of_the_reference(count):
    assert hash_tree.root(LEAVES[:count]).hex() == ROOTS[count - 1]


def test_a_path_leads_from_its_leaf_to_the_root_and_from_no_other():
    for count in range(1, 20):
        leaves = [bytes([place]) for place in range(count)]
        root = hash_tree.root(iter(leaves))
        assert hash_tree.levels(leaves)[-1] == [root]
        for place, leaf in enumerate(leaves):
            steps = hash_tree.path(hash_tree.levels(leaves), place)
            assert len(steps) <= (count - 1).bit_length()
            assert hash_tree.root_from(leaf, place, count, steps) == root
            assert hash_tree.root_from(b"x", place, count, steps) != root
            for other in set(range(count)) - {place}:
                try:
                    assert hash_tree.root_from(leaf, other, count, steps) != root
                except ValueError:
                    continue


@pytest.mark.parametrize(
    ("place", "count", "steps", "what"),
    [
        (2, 2, [bytes(32)], "place 2 of 2"),
        (-1, 2, [bytes(32)], "place -1 of 2"),
        (0, 2, [], "too short"),
        (0, 1, [bytes(32)], "too long"),
        (0, 0, [], "place 0 of 0"),
    ],
)
def test_a_path_of_another_tree_is_refused(place, count, steps, what):
    with pytest.raises(ValueError, match=what):
        hash_tree.root_from(b"leaf", place, count, steps)


def test_a_node_is_no_leaf():
    """A digest inside the tree cannot be shown as an entry: leaves are hashed otherwise."""
    leaves = [b"a", b"b", b"c", b"d"]
    root, steps = hash_tree.root(leaves), hash_tree.path(hash_tree.levels(leaves), 0)
    inner = hash_tree.root(leaves[:2])
    assert hash_tree.root_from(inner, 0, 2, steps[1:]) != root


def test_a_tree_without_a_leaf_has_no_root():
    with pytest.raises(ValueError, match="has a leaf"):
        hash_tree.root([])
