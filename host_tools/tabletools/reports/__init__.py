"""The read model: answers pages that look back, at a cost that does not grow with the ledger.

A follower reads the ledger in its order, in a process of its own, and maintains tables that fit
the questions. They prove nothing and are no part of the chain: they are deleted and built again at
any time.
"""
