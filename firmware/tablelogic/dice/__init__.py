"""Reads dice in a grey picture: which faces are on top, or the reason why it does not say."""
