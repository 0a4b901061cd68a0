"""Reads the faces of dice in a tray that was commissioned: strict, classical, bound to its rig."""
