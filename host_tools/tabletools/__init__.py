"""Tablewire host tools: link, decode, settle and the command line."""
