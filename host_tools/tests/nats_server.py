"""Private nats-servers for tests, of the system's own binary, on free ports."""

import os
import shutil
import signal
from pathlib import Path

from host_tools.tests.private_server import free_port, started
from tabletools.cms.broker import NATS, Broker
from tabletools.estate import nats_servers

SECRETS = {name: f"secret-of-{name}" for name in ("centre", "athens", "berlin")}
HOW = "apt install nats-server (Debian, Ubuntu) or: brew install nats-server (macOS)"


def binary():
    """The path of the server's program, None if it is not installed."""
    known = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/opt/homebrew/bin"])
    return shutil.which("nats-server", path=known)


class NatsServer:
    """One server in a folder of its own. centre: the one that a site is a leaf of.

    certificates: an authority, with which it talks to holders of its certificates alone.
    """

    def __init__(self, folder: Path, site="", centre=None, certificates=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.leaves = free_port(), free_port()
        listen, leaves = f"127.0.0.1:{self.port}", f"127.0.0.1:{self.leaves}"
        tls = None
        if certificates is not None:
            files = certificates.make(site or "centre", "localhost")
            tls = nats_servers.Certificates(certificates.authority, *files)
        if site:
            place = f"localhost:{centre.leaves if centre else self.leaves}"
            leaves = f"{site}:{SECRETS[site]}@{place}"
            text = nats_servers.of_site(site, listen, leaves, folder / "store", tls)
        else:
            text = nats_servers.of_centre(listen, leaves, folder / "store", SECRETS, tls)
        self._conf, self._log = folder / "nats.conf", folder / "log"
        self._conf.write_text(text)
        self._process = None

    def start(self):
        """Start the server; returns when it listens."""
        self._process = started([binary(), "-c", str(self._conf)], self._log, self.port)
        return self

    def stop(self, number=signal.SIGKILL):
        """End the server, by default as a crash does."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(30)
            self._process = None

    def crash(self):
        """Kill the server; it is started again."""
        self.stop()
        self.start()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    @property
    def broker(self):
        return Broker.from_url(self.url, NATS)
