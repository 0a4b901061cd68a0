"""Fixtures of the ledger on both databases, and what the run left out."""

import asyncio
import shutil
import signal
from collections import defaultdict
from functools import wraps
from itertools import count
from pathlib import Path

import pytest

from hil_tests.thinned import IS_SOAK, deselect, thinned
from host_tools.tests import postgresql, statements
from host_tools.tests.chromium_browser import HOW, executable, launched
from host_tools.tests.collecting import Collecting
from host_tools.tests.empty_ledger import image
from host_tools.tests.left_out import LEFT_OUT, leave_out
from host_tools.tests.pit import Pit
from tabletools import release
from tabletools.store import Store, engine
from tabletools.table import shell
from tabletools.table.verify import check

# A shell without job control starts what runs in the background deaf to Control-C, and so would be
# the programs the tests start and end with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
HAS_POSTGRESQL = postgresql.binaries() is not None
DATABASES = ["sqlite", *(["postgresql"] if HAS_POSTGRESQL else [])]
if not HAS_POSTGRESQL:
    leave_out("PostgreSQL", "the ledger on PostgreSQL", postgresql.HOW)
# Fixtures that repeat every scenario of a test on each database.
ON_BOTH = ("ledger_place", "empty_ledger", "whole")
COMPARING = (
    "test_ledger_",
    "test_collect_properties",
    "test_collect_records",
    "test_pit_properties",
    "test_wheel_line_table",
    "test_clock_steps",
    "test_device_time",
)
COMPARED_FIRST, COMPARED_NTH = 1, 8
# Of the state of a table: the rest is read when it is needed.
COMPARED = (
    "token",
    "device",
    "bets_open",
    "cause",
    "since_ns",
    "round_id",
    "newest_number",
    "has_live_stakes",
    "gap",
    "bars",
    "rounds",
    "stakes",
)
collect_ignore = []
if executable() is None:
    leave_out("Chromium", "the console in a browser", HOW)
    files = Path(__file__).parent.glob("test_console_*.py")
    collect_ignore += [file.name for file in files if "browser" in file.read_text("utf-8")]


def pytest_collection_modifyitems(config, items):
    """Run one in twelve scenarios of each file on PostgreSQL too; `make soak` runs all of them."""
    cells = defaultdict(list)
    for item in items:
        databases = getattr(item, "callspec", None) and item.callspec.params
        if databases and any(databases.get(name) == "postgresql" for name in ON_BOTH):
            cells[item.path].append(item)
    chosen = {item for of_file in cells.values() for item in thinned(of_file, 12)}
    deselect(config, items, {item for of_file in cells.values() for item in of_file} - chosen)


def pytest_terminal_summary(terminalreporter):
    for missing, what in LEFT_OUT.items():
        terminalreporter.write_line(f"left out, no {missing} here: {what}")


@pytest.fixture(autouse=True, scope="session")
def _statements_compiled_once():
    with pytest.MonkeyPatch.context() as patch:
        statements.compiled_once(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def _images_compiled_once():
    """Let a process compile the same sources once: it takes 1 s, and always gives the same."""
    compiled, images = release.compiled, {}

    def compiled_once(image, *options):
        sources = frozenset(image.items()), options
        if sources not in images:
            images[sources] = compiled(image, *options)
        return dict(images[sources])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "compiled", compiled_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def durable():
    """Let no commit of SQLite in this process wait for the disk: to survive SIGKILL needs none,
    and programs that tests start write as shipped. Yields the settings as shipped.
    """
    shipped = engine.DURABLE
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "DURABLE", ("synchronous=OFF",))
        yield shipped


@pytest.fixture(scope="session")
def started_chromium():
    """A browser, started once, and the event loop of Playwright, which waits outside its tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        loop, browser = asyncio.get_running_loop(), launched(playwright)
        asyncio._set_running_loop(None)  # a test without a browser may run a loop of its own
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture(scope="module")
def chromium(started_chromium):
    """The browser, for the tests of one file."""
    browser, loop = started_chromium
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def cluster():
    """A PostgreSQL server of this run alone."""
    new_cluster = postgresql.Cluster()
    yield new_cluster
    new_cluster.remove()


@pytest.fixture(scope="session")
def shared_ledger(cluster):
    """The URL of a ledger on PostgreSQL that every test finds empty."""
    url = cluster.url(cluster.new_database())
    Store.open(url).close()
    return url


@pytest.fixture(scope="session")
def ledger_file(tmp_path_factory):
    """An empty ledger in a file of SQLite: a copy takes a quarter of the time of another one."""
    place = tmp_path_factory.mktemp("empty") / "ledger"
    place.write_bytes(image())
    return place


@pytest.fixture(params=DATABASES)
def ledger_place(request, tmp_path):
    """Where an empty ledger is: a file of SQLite, then a database of PostgreSQL."""
    if request.param == "sqlite":
        return shutil.copy(request.getfixturevalue("ledger_file"), str(tmp_path / "ledger"))
    url = request.getfixturevalue("shared_ledger")
    postgresql.empty(url)
    return url


@pytest.fixture
def pit(ledger_place):
    """Every test ends with a sound ledger."""
    new_pit = Pit(ledger_place)
    yield new_pit
    with new_pit.ledger.read() as db:
        assert check(db).problems == []
    new_pit.ledger.close()


@pytest.fixture
def host(tmp_path):
    """A collector that has heard from its table."""
    new_host = Collecting(tmp_path / "night.db")
    new_host.beat()
    yield new_host
    new_host.close()


@pytest.fixture
def floor(tmp_path):
    """A table that is linked, one host."""
    from host_tools.tests.served import Floor  # the API: a second that a test without it saves

    new_floor = Floor(str(tmp_path / "ledger"))
    yield new_floor
    new_floor.close()


@pytest.fixture
def sue(floor):
    """The supervisor, logged in."""
    return floor.host.login("Sue")


@pytest.fixture
def ada(floor, sue):
    """A player with EUR 1,000.00 at a terminal."""
    return floor.host.terminal(sue, floor.table, "ada")


@pytest.fixture(params=DATABASES)
def empty_ledger(request, tmp_path_factory):
    """Makes where an empty ledger is, for each example of a property; the last is gone."""
    if request.param == "sqlite":
        place = request.getfixturevalue("ledger_file")
        return lambda: shutil.copy(place, str(tmp_path_factory.mktemp("pit") / "ledger"))
    url = request.getfixturevalue("shared_ledger")

    def empty():
        postgresql.empty(url)
        return url

    return empty


@pytest.fixture(autouse=True)
def _state_is_what_is_stored(request, monkeypatch):
    """After a transaction of a table its state in memory is what a restart would read.

    After each of the first COMPARED_FIRST of a test, then after every COMPARED_NTH: to read it
    costs as much as the transaction, and a state that went wrong stays so. `make soak` compares
    all. Where time is not real: to read it twice as often would make a host in real time late.
    """
    if not request.node.path.name.startswith(COMPARING):
        return
    run, transactions = shell.run, count(1)

    @wraps(run)
    def compared(store, lease, action, **options):
        with store.memory(lease.table).lock:
            result = run(store, lease, action, **options)
            state, number = store.memory(lease.table).state, next(transactions)
            is_due = IS_SOAK or number <= COMPARED_FIRST or number % COMPARED_NTH == 0
            if state is not None and is_due:
                read = shell.read(store, lease)
                for name in COMPARED:
                    assert getattr(state, name) == getattr(read, name), name
            return result

    monkeypatch.setattr(shell, "run", compared)
