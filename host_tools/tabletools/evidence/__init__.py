"""What the tables sent, stored and judged: frames, rounds, alarms, programs, traces. No money."""

from tabletools.evidence.tables import State, Terms, claim, let_go, renew

__all__ = ["State", "Terms", "claim", "let_go", "renew"]
