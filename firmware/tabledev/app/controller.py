"""The sink of the role: what it decides becomes frames, marks on flash and the lamp.

Allocates nothing but what the flash writes at the opening and the end of a round need.
"""

from tablewire.messages import BETS_CLOSED, ROUND_OPENED, ROUND_VOID, STATE, WHEEL_RESULT

from .faults import RESERVE


class Controller:
    """Called by the role while it works; keeps none of the lists it is given.

    store: store.Store; post: post.Post; faults: faults.Faults;
    lamp: see hal, lit whenever bets are not open.
    """

    def __init__(self, store: object, post: object, faults: object, lamp: object) -> None:
        self._store = store
        self._post = post
        self._faults = faults
        self._lamp = lamp
        self._lamp.set(1)
        post.sender.round = store.round

    def may_open(self) -> bool:
        """Whether every record of a round, and one fault in it, would find room."""
        return self._post.outbox.room() > RESERVE + 1

    def round_opened(self, values: list) -> None:
        """A round opens: it gets its number, which is on flash before anybody hears it."""
        self._post.sender.round = self._store.open_round()
        self._post.durable(ROUND_OPENED, values)
        self._lamp.set(0)

    def bets_closed(self, values: list) -> None:
        """No more bets."""
        self._lamp.set(1)
        self._post.durable(BETS_CLOSED, values)

    def result(self, values: list) -> None:
        """A number. The round is marked over first: a power cut never voids a number told."""
        self._lamp.set(1)
        self._store.close_round()
        self._post.durable(WHEEL_RESULT, values)

    def void(self, values: list) -> None:
        """The round decides nothing."""
        self._lamp.set(1)
        self._store.close_round()
        self._post.durable(ROUND_VOID, values)

    def fault_raised(self, values: list) -> None:
        """A fault stands."""
        self._faults.raised(values)

    def fault_cleared(self, values: list) -> None:
        """A fault is gone."""
        self._faults.cleared(values)

    def state(self, values: list) -> None:
        """The phase changed."""
        self._post.ephemeral(STATE, values)
