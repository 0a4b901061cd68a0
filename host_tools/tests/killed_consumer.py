"""A consumer that is killed at a named step; run by test_cms_consumer.py.

Reads one JSON order a line (url, db, step, nth, count), forks a consumer for it, and answers how
it ended. Without a step it ends when the file has so many events.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from tabletools.cms.broker import Broker
from tabletools.cms.consumer import Consumer, Landing


def consume(order):
    """Land events until the count is reached, or die."""
    hits = 0

    def die_at(step):
        nonlocal hits
        hits += step == order["step"]
        if step == order["step"] and hits == order["nth"]:
            os.kill(os.getpid(), signal.SIGKILL)

    landing = Landing(Path(order["db"]), at=die_at)
    consumer = Consumer(Broker.from_url(order["url"]), landing, "killed", at=die_at)
    consumer.run(threading.Event(), until=lambda: landing.count() >= order["count"])
    os._exit(0)


def main():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            consume(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
