"""The states of the conversation with a table, and the one table of its transitions.

Three parts have states of their own: whether the table speaks to this host (Presence), what is
requested of it (Handshake), and how old its information is (Age). A trigger moves every part that
lists it, all or none: a part that lists it elsewhere but not in its present state refuses it.
Pure: no time, no bytes. host_tools/docs/LINK.md draws this table.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import ClassVar, NamedTuple, Self


class _Described(str):
    """A name with its meaning, for the documents. All of one class are its members.

    Not an Enum: in Python 3.11 the access to a member of one takes 120 ns, and a frame needs 20.
    """

    members: ClassVar[list[Self]]
    meaning: str

    def __init_subclass__(cls) -> None:
        cls.members = []

    def __new__(cls, name: str, meaning: str) -> Self:
        member = super().__new__(cls, name)
        member.meaning = meaning
        cls.members.append(member)
        return member


class Presence(_Described):
    """Whether the table at the other end of the line speaks to this host."""


class Handshake(_Described):
    """What is requested of the table."""


class Age(_Described):
    """How old the information about the table is."""


class Trigger(_Described):
    """What moves the states."""


State = Presence | Handshake | Age

CLOSED = Presence("closed", "no port is open")
WAITING = Presence("waiting", "a port is open, no trusted frame came yet")
ONLINE = Presence("online", "trusted frames come")
OFFLINE = Presence("offline", "a port is open and the table is silent")
TAKEN = Presence("taken", "a port is open and the table follows another host")

UNOPENED = Handshake("unopened", "no port is open")
LISTENING = Handshake("listening", "nothing is written: the far end may be a prompt")
ASKING = Handshake("asking", "identify is sent every second")
STARTING = Handshake("starting", "start_session is sent; no frame under it came yet")
SETTLED = Handshake("settled", "the table has answered: nothing is requested")
PAUSED = Handshake("paused", "another host has the table; identify is sent after the pause")
DISMISSED = Handshake("dismissed", "another host has the table; a watcher requests nothing")

CURRENT = Age("current", "recent enough, or not yet provable")
STALE = Age("stale", "too old to accept a bet; reported once")

OPENING = Trigger("opening", "a port is open; it is that of a table")
QUIET_OPENING = Trigger("quiet_opening", "a port is open; what is there is unknown")
FIRST_FRAME = Trigger("first_frame", "a frame with a valid check came, trusted or not")
REQUEST = Trigger("request", "identify is due and sent")
PROOF = Trigger("proof", "the table proved its key; start_session is sent")
ANSWER = Trigger("answer", "the identity that was requested, or a frame under the newest session")
LIVE_FRAME = Trigger("live_frame", "a trusted frame, newer than all before")
RESTART = Trigger("restart", "another boot or device answers: request its identity")
SILENCE = Trigger("silence", "no live frame for 2 s")
TAKEOVER = Trigger("takeover", "another host began a session; this one asks again later")
WATCHER_TAKEOVER = Trigger("watcher_takeover", "another host began a session; this only watches")
AGEING = Trigger("ageing", "no proof in time that the information is recent")
RENEWAL = Trigger("renewal", "a proof that the information is recent")
LOSS = Trigger("loss", "the port is gone")


TRANSITIONS: dict[tuple[State, Trigger], State] = {
    # Whether the table speaks.
    (CLOSED, OPENING): WAITING,
    (CLOSED, QUIET_OPENING): WAITING,
    (CLOSED, LOSS): CLOSED,
    (WAITING, LIVE_FRAME): ONLINE,
    (WAITING, SILENCE): OFFLINE,
    (WAITING, TAKEOVER): TAKEN,
    (WAITING, WATCHER_TAKEOVER): TAKEN,
    (WAITING, LOSS): CLOSED,
    (ONLINE, LIVE_FRAME): ONLINE,
    (ONLINE, SILENCE): OFFLINE,
    (ONLINE, TAKEOVER): TAKEN,
    (ONLINE, WATCHER_TAKEOVER): TAKEN,
    (ONLINE, AGEING): ONLINE,
    (ONLINE, RENEWAL): ONLINE,
    (ONLINE, LOSS): CLOSED,
    (OFFLINE, LIVE_FRAME): ONLINE,
    (OFFLINE, TAKEOVER): TAKEN,
    (OFFLINE, WATCHER_TAKEOVER): TAKEN,
    (OFFLINE, LOSS): CLOSED,
    (TAKEN, LIVE_FRAME): ONLINE,
    (TAKEN, TAKEOVER): TAKEN,
    (TAKEN, WATCHER_TAKEOVER): TAKEN,
    (TAKEN, LOSS): CLOSED,
    # What is requested.
    (UNOPENED, OPENING): ASKING,
    (UNOPENED, QUIET_OPENING): LISTENING,
    (UNOPENED, LOSS): UNOPENED,
    (LISTENING, FIRST_FRAME): ASKING,
    (LISTENING, SILENCE): LISTENING,
    (LISTENING, LOSS): UNOPENED,
    (ASKING, REQUEST): ASKING,
    (ASKING, PROOF): STARTING,
    (ASKING, ANSWER): SETTLED,
    (ASKING, LIVE_FRAME): ASKING,
    (ASKING, RESTART): ASKING,
    (ASKING, SILENCE): ASKING,
    (ASKING, TAKEOVER): PAUSED,
    (ASKING, WATCHER_TAKEOVER): DISMISSED,
    (ASKING, LOSS): UNOPENED,
    (STARTING, REQUEST): ASKING,
    (STARTING, ANSWER): SETTLED,
    (STARTING, LIVE_FRAME): STARTING,
    (STARTING, RESTART): ASKING,
    (STARTING, SILENCE): ASKING,
    (STARTING, TAKEOVER): PAUSED,
    (STARTING, WATCHER_TAKEOVER): DISMISSED,
    (STARTING, LOSS): UNOPENED,
    (SETTLED, PROOF): STARTING,
    (SETTLED, ANSWER): SETTLED,
    (SETTLED, LIVE_FRAME): SETTLED,
    (SETTLED, RESTART): ASKING,
    (SETTLED, SILENCE): ASKING,
    (SETTLED, TAKEOVER): PAUSED,
    (SETTLED, WATCHER_TAKEOVER): DISMISSED,
    (SETTLED, LOSS): UNOPENED,
    (PAUSED, REQUEST): ASKING,
    (PAUSED, PROOF): STARTING,
    (PAUSED, ANSWER): SETTLED,
    (PAUSED, LIVE_FRAME): PAUSED,
    (PAUSED, RESTART): ASKING,
    (PAUSED, SILENCE): ASKING,
    (PAUSED, TAKEOVER): PAUSED,
    (PAUSED, LOSS): UNOPENED,
    (DISMISSED, PROOF): STARTING,
    (DISMISSED, ANSWER): SETTLED,
    (DISMISSED, LIVE_FRAME): DISMISSED,
    (DISMISSED, RESTART): ASKING,
    (DISMISSED, SILENCE): ASKING,
    (DISMISSED, WATCHER_TAKEOVER): DISMISSED,
    (DISMISSED, LOSS): UNOPENED,
    # The age of the information, judged while the table is online.
    (CURRENT, AGEING): STALE,
    (STALE, RENEWAL): CURRENT,
}


class ImpossibleTransition(RuntimeError):
    """A trigger came in a state that does not list it: an error of the program."""


class States(NamedTuple):
    """The states of all parts; replaced as a whole."""

    presence: Presence = CLOSED
    handshake: Handshake = UNOPENED
    age: Age = CURRENT

    def permits(self, trigger: Trigger) -> bool:
        """Whether the trigger is possible now."""
        return (self, trigger) in _AFTER

    def after(self, trigger: Trigger) -> States:
        """Return the states after a trigger. Raises ImpossibleTransition."""
        try:
            return _AFTER[self, trigger]
        except KeyError:
            raise ImpossibleTransition(f"{trigger} while {', '.join(self)}") from None


def _after() -> Iterator[tuple[tuple[States, Trigger], States]]:
    """Yield what TRANSITIONS say of all parts together."""
    for trigger in Trigger.members:
        concerned = {type(state) for state, listed in TRANSITIONS if listed is trigger}
        for states in product(Presence.members, Handshake.members, Age.members):
            listed = [TRANSITIONS.get((state, trigger)) for state in states]
            # A part that the trigger does not concern stays as it is.
            pairs = list(zip(states, listed, strict=True))
            if all(after is not None for state, after in pairs if type(state) in concerned):
                yield (States(*states), trigger), States._make(b or a for a, b in pairs)


_AFTER = dict(_after())
