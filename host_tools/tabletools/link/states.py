"""The states of the conversation with a table, and the one table of its transitions.

Three parts have states of their own: whether the table speaks to this host (Presence), what is
requested of it (Handshake), and how old its information is (Age). A trigger moves every part that
lists it, all or none: a part that lists it elsewhere but not in its present state refuses it.
Pure: no time, no bytes. host_tools/docs/LINK.md draws this table.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import NamedTuple, Self


class _Described(StrEnum):
    """A name with its meaning, for the documents."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class Presence(_Described):
    """Whether the table at the other end of the line speaks to this host."""

    CLOSED = "closed", "no port is open"
    WAITING = "waiting", "a port is open, no trusted frame came yet"
    ONLINE = "online", "trusted frames come"
    OFFLINE = "offline", "a port is open and the table is silent"
    TAKEN = "taken", "a port is open and the table follows another host"


class Handshake(_Described):
    """What is requested of the table."""

    UNOPENED = "unopened", "no port is open"
    LISTENING = "listening", "nothing is written: the far end may be a prompt"
    ASKING = "asking", "identify is sent every second"
    STARTING = "starting", "start_session is sent; identify again if no frame follows under it"
    SETTLED = "settled", "the table has answered: nothing is requested"
    PAUSED = "paused", "another host has the table; identify is sent after the pause"
    DISMISSED = "dismissed", "another host has the table; a watcher requests nothing"


class Age(_Described):
    """How old the information about the table is."""

    CURRENT = "current", "recent enough, or not yet provable"
    STALE = "stale", "too old to accept a bet; reported once"


class Trigger(_Described):
    """What moves the states."""

    OPENING = "opening", "a port is open; it is that of a table"
    QUIET_OPENING = "quiet_opening", "a port is open; what is there is unknown"
    FIRST_FRAME = "first_frame", "a frame with a valid check came, trusted or not"
    REQUEST = "request", "identify is due and sent"
    PROOF = "proof", "the table proved its key; start_session is sent"
    ANSWER = "answer", "the identity that was requested, or a frame under the newest session"
    LIVE_FRAME = "live_frame", "a trusted frame, newer than all before"
    RESTART = "restart", "another boot or device answers: request its identity"
    SILENCE = "silence", "no live frame for 2 s"
    TAKEOVER = "takeover", "another host began a session; this one asks again later"
    WATCHER_TAKEOVER = "watcher_takeover", "another host began a session; this one only watches"
    AGEING = "ageing", "no proof in time that the information is recent"
    RENEWAL = "renewal", "a proof that the information is recent"
    LOSS = "loss", "the port is gone"


State = Presence | Handshake | Age

TRANSITIONS: dict[tuple[State, Trigger], State] = {
    # Whether the table speaks.
    (Presence.CLOSED, Trigger.OPENING): Presence.WAITING,
    (Presence.CLOSED, Trigger.QUIET_OPENING): Presence.WAITING,
    (Presence.WAITING, Trigger.LIVE_FRAME): Presence.ONLINE,
    (Presence.WAITING, Trigger.SILENCE): Presence.OFFLINE,
    (Presence.WAITING, Trigger.TAKEOVER): Presence.TAKEN,
    (Presence.WAITING, Trigger.WATCHER_TAKEOVER): Presence.TAKEN,
    (Presence.WAITING, Trigger.LOSS): Presence.CLOSED,
    (Presence.ONLINE, Trigger.LIVE_FRAME): Presence.ONLINE,
    (Presence.ONLINE, Trigger.SILENCE): Presence.OFFLINE,
    (Presence.ONLINE, Trigger.TAKEOVER): Presence.TAKEN,
    (Presence.ONLINE, Trigger.WATCHER_TAKEOVER): Presence.TAKEN,
    (Presence.ONLINE, Trigger.AGEING): Presence.ONLINE,
    (Presence.ONLINE, Trigger.RENEWAL): Presence.ONLINE,
    (Presence.ONLINE, Trigger.LOSS): Presence.CLOSED,
    (Presence.OFFLINE, Trigger.LIVE_FRAME): Presence.ONLINE,
    (Presence.OFFLINE, Trigger.TAKEOVER): Presence.TAKEN,
    (Presence.OFFLINE, Trigger.WATCHER_TAKEOVER): Presence.TAKEN,
    (Presence.OFFLINE, Trigger.LOSS): Presence.CLOSED,
    (Presence.TAKEN, Trigger.LIVE_FRAME): Presence.ONLINE,
    (Presence.TAKEN, Trigger.TAKEOVER): Presence.TAKEN,
    (Presence.TAKEN, Trigger.WATCHER_TAKEOVER): Presence.TAKEN,
    (Presence.TAKEN, Trigger.LOSS): Presence.CLOSED,
    # What is requested.
    (Handshake.UNOPENED, Trigger.OPENING): Handshake.ASKING,
    (Handshake.UNOPENED, Trigger.QUIET_OPENING): Handshake.LISTENING,
    (Handshake.LISTENING, Trigger.FIRST_FRAME): Handshake.ASKING,
    (Handshake.LISTENING, Trigger.SILENCE): Handshake.LISTENING,
    (Handshake.LISTENING, Trigger.LOSS): Handshake.UNOPENED,
    (Handshake.ASKING, Trigger.REQUEST): Handshake.ASKING,
    (Handshake.ASKING, Trigger.PROOF): Handshake.STARTING,
    (Handshake.ASKING, Trigger.ANSWER): Handshake.SETTLED,
    (Handshake.ASKING, Trigger.LIVE_FRAME): Handshake.ASKING,
    (Handshake.ASKING, Trigger.RESTART): Handshake.ASKING,
    (Handshake.ASKING, Trigger.SILENCE): Handshake.ASKING,
    (Handshake.ASKING, Trigger.TAKEOVER): Handshake.PAUSED,
    (Handshake.ASKING, Trigger.WATCHER_TAKEOVER): Handshake.DISMISSED,
    (Handshake.ASKING, Trigger.LOSS): Handshake.UNOPENED,
    (Handshake.STARTING, Trigger.REQUEST): Handshake.ASKING,
    (Handshake.STARTING, Trigger.ANSWER): Handshake.SETTLED,
    (Handshake.STARTING, Trigger.LIVE_FRAME): Handshake.STARTING,
    (Handshake.STARTING, Trigger.RESTART): Handshake.ASKING,
    (Handshake.STARTING, Trigger.SILENCE): Handshake.ASKING,
    (Handshake.STARTING, Trigger.TAKEOVER): Handshake.PAUSED,
    (Handshake.STARTING, Trigger.WATCHER_TAKEOVER): Handshake.DISMISSED,
    (Handshake.STARTING, Trigger.LOSS): Handshake.UNOPENED,
    (Handshake.SETTLED, Trigger.PROOF): Handshake.STARTING,
    (Handshake.SETTLED, Trigger.ANSWER): Handshake.SETTLED,
    (Handshake.SETTLED, Trigger.LIVE_FRAME): Handshake.SETTLED,
    (Handshake.SETTLED, Trigger.RESTART): Handshake.ASKING,
    (Handshake.SETTLED, Trigger.SILENCE): Handshake.ASKING,
    (Handshake.SETTLED, Trigger.TAKEOVER): Handshake.PAUSED,
    (Handshake.SETTLED, Trigger.WATCHER_TAKEOVER): Handshake.DISMISSED,
    (Handshake.SETTLED, Trigger.LOSS): Handshake.UNOPENED,
    (Handshake.PAUSED, Trigger.REQUEST): Handshake.ASKING,
    (Handshake.PAUSED, Trigger.PROOF): Handshake.STARTING,
    (Handshake.PAUSED, Trigger.ANSWER): Handshake.SETTLED,
    (Handshake.PAUSED, Trigger.LIVE_FRAME): Handshake.PAUSED,
    (Handshake.PAUSED, Trigger.RESTART): Handshake.ASKING,
    (Handshake.PAUSED, Trigger.SILENCE): Handshake.ASKING,
    (Handshake.PAUSED, Trigger.TAKEOVER): Handshake.PAUSED,
    (Handshake.PAUSED, Trigger.LOSS): Handshake.UNOPENED,
    (Handshake.DISMISSED, Trigger.PROOF): Handshake.STARTING,
    (Handshake.DISMISSED, Trigger.ANSWER): Handshake.SETTLED,
    (Handshake.DISMISSED, Trigger.LIVE_FRAME): Handshake.DISMISSED,
    (Handshake.DISMISSED, Trigger.RESTART): Handshake.ASKING,
    (Handshake.DISMISSED, Trigger.SILENCE): Handshake.ASKING,
    (Handshake.DISMISSED, Trigger.WATCHER_TAKEOVER): Handshake.DISMISSED,
    (Handshake.DISMISSED, Trigger.LOSS): Handshake.UNOPENED,
    # The age of the information, judged while the table is online.
    (Age.CURRENT, Trigger.AGEING): Age.STALE,
    (Age.STALE, Trigger.RENEWAL): Age.CURRENT,
}
# The parts that a trigger concerns.
_CONCERNED = {
    trigger: {type(state) for state, listed in TRANSITIONS if listed is trigger}
    for trigger in Trigger
}


class ImpossibleTransition(RuntimeError):
    """A trigger came in a state that does not list it: an error of the program."""


class States(NamedTuple):
    """The states of all parts; replaced as a whole."""

    presence: Presence = Presence.CLOSED
    handshake: Handshake = Handshake.UNOPENED
    age: Age = Age.CURRENT

    def permits(self, trigger: Trigger) -> bool:
        """Whether the trigger is possible now."""
        return _next(self, trigger) is not None

    def after(self, trigger: Trigger) -> States:
        """Return the states after a trigger. Raises ImpossibleTransition."""
        states = _next(self, trigger)
        if states is None:
            raise ImpossibleTransition(f"{trigger} while {', '.join(self)}")
        return states


@cache
def _next(states: States, trigger: Trigger) -> States | None:
    """Return the states after a trigger, None if a part that it concerns does not list it."""
    concerned = _CONCERNED[trigger]
    if any((state, trigger) not in TRANSITIONS for state in states if type(state) in concerned):
        return None
    return States._make(TRANSITIONS.get((state, trigger), state) for state in states)
