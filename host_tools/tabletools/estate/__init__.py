"""The estate: many sites seen from a centre, which reads their streams of events.

Each site publishes into the stream of its own nats-server; the centre's stream is sourced from
them. The figures of the centre follow from events alone: it reads no site's ledger.
"""
