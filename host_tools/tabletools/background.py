"""Work in a thread beside a block, ended with it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def in_background(work: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Work in a thread of that name until the block ends, which waits for it.

    work: called with the event that is set when it is to end.
    """
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), name=name)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
