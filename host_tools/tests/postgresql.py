"""A private PostgreSQL cluster for tests and benches, of the system's own binaries."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, text

from host_tools.tests.private_server import free_port
from tabletools.store.schema import METADATA

USER = "tablewire"
_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_FROM_1 = """
SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false)
FROM pg_sequences WHERE last_value IS NOT NULL
"""
HOW = "apt install postgresql (Debian, Ubuntu) or: brew install postgresql (macOS)"


def binaries():
    """The folder of initdb, None if it is not installed."""
    path = shutil.which("initdb")
    if path:
        return Path(path).resolve().parent
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    return known[-1].parent if known else None


def _version(path):
    return [int(part) for part in path.parts[4].split(".")]


def empty(url):
    """Remove every row of a ledger, past the triggers that refuse it; keys begin at 1 again.

    To truncate 41 tables, most of them empty, takes two and a half times as long.
    """
    engine = create_engine(url.replace("://", "+psycopg://"))
    with engine.begin() as db:
        # What a test left open would wait here for ever.
        db.execute(text(_OTHERS))
        db.execute(text("SET session_replication_role = replica"))
        db.execute(text("; ".join(f"DELETE FROM {name}" for name in METADATA.tables)))
        db.execute(text(_FROM_1))
    engine.dispose()


class Cluster:
    """Run one server in a separate folder, reached by a socket there and a free port of loopback.

    is_durable: commits are written to disk; without it tests are quicker. connections: at most.
    """

    def __init__(self, *, is_durable=False, connections=50):
        self._bin = binaries()
        self._folder = Path(tempfile.mkdtemp(prefix="tw-pg-", dir="/tmp"))
        self._as = {}
        if os.geteuid() == 0:  # initdb refuses root
            account = pwd.getpwnam("nobody")
            os.chown(self._folder, account.pw_uid, account.pw_gid)
            self._as = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self.data = self._folder / "data"
        self._run(
            "initdb",
            "-D",
            self.data,
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        self.port = free_port()
        durable = "" if is_durable else " -c fsync=off -c full_page_writes=off"
        self._options = (
            f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1"
            f" -c max_connections={connections} -c shared_buffers=64MB{durable}"
        )
        self._count = 0
        self.start()

    def start(self):
        """Start the server; returns when it answers."""
        log = self._folder / "log"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", self._options, "start")

    def stop(self, mode="immediate"):
        """Stop the server. mode: immediate is that of a crash."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def remove(self):
        """Stop the server and remove its folder."""
        try:
            self.stop()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, database):
        """The URL of a database."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self, template="template1"):
        """Make a database; returns its name."""
        self._count += 1
        name = f"ledger_{self._count}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def execute(self, statement):
        """Carry out a statement outside any transaction."""
        url = self.url("postgres").replace("://", "+psycopg://")
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as db:
            db.execute(text(statement))
        engine.dispose()

    def _run(self, name, *words):
        done = subprocess.run(
            [str(self._bin / name), *map(str, words)],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            env=self._environment(),
            **self._as,
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stdout}")

    def _environment(self):
        variables = {
            name: value for name, value in os.environ.items() if not name.startswith("PG")
        }
        return variables | {"LC_ALL": "C", "HOME": str(self._folder)}
