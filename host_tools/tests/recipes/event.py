"""The recipe of an event: a payout is held. It is of no table: the cash desk serves all."""

from host_tools.tests.recipes.runner import Edit, Recipe

CATALOGUE = """
    "tablewire.payout.held": Kind(
        "A payout is held",
        "Two users have to release it.",
        {
            "payout": _whole("number of the held payout", 1),
            "amount_cents": _whole("what is to be paid, in cents of the currency of the house"),
        },
        branches=HOUSE,
    ),"""
WRITTEN = """
        data = {"payout": number, "amount_cents": -wanted.cents}
        name = f"payout/{number}"
        event = OutboxEvent(f"payout-held-{number}", "tablewire.payout.held", name, data)
        enqueue(db, event, now_ns)"""
PAYOUTS = "host_tools/tabletools/money/payouts.py"
TEST = "host_tools/tests/test_cms_documents.py"

EVENT = Recipe(
    heading="An event",
    edits=(
        Edit(
            "host_tools/tabletools/cms/catalogue.py",
            "EVENTS: dict[str, Kind] = {",
            CATALOGUE,
        ),
        Edit(
            PAYOUTS,
            "from tabletools.store.errors import LedgerRejection\n",
            "from tabletools.store.outbox import OutboxEvent, enqueue\n",
        ),
        Edit(
            PAYOUTS,
            '        audit.note(db, who, "payout_held", subject, now_ns, cents=-wanted.cents, '
            "payout=number)",
            WRITTEN,
        ),
        Edit(
            TEST,
            '    house = AlarmCause(alarms.PROGRAM, "of no table", None)\n',
            '    cas = Actor("Cas", pit.users[0])\n'
            '    payouts.hold(pit.ledger, Movement(pit.ada, -500), "held", cas, held_cents=500)\n',
        ),
        Edit(
            TEST,
            "from tabletools.money import day_close, outbox_queries\n",
            "from tabletools.money import payouts\nfrom tabletools.money.cash import Movement\n",
        ),
    ),
    play="""
import json, tempfile
from pathlib import Path
from host_tools.tests.pit import Pit
from tabletools.cms import documents
from tabletools.cms.file_sink import FileSink
from tabletools.cms.mqtt_sink import Topics
from tabletools.cms.outgoing_event import outgoing_event
from tabletools.money import outbox_queries, payouts
from tabletools.money.cash import Movement
from tabletools.store import Actor

with tempfile.TemporaryDirectory() as folder:
    pit = Pit(str(Path(folder) / "ledger"))
    cas = Actor("Cas", pit.users[0])
    for _ in range(2):  # the same request again is answered, and sends nothing
        payouts.hold(pit.ledger, Movement(pit.ada, -500), "held", cas, held_cents=500)
    events = [outgoing_event(each) for each in outbox_queries.due(pit.ledger, "file").events]
    sink = FileSink(Path(folder) / "events")
    sink.send(events)
    for line in (Path(folder) / "events").read_text().splitlines():
        print(json.loads(line)["type"], json.loads(line)["data"])
    addresses = [each["address"] for each in documents.asyncapi()["channels"].values()]
    for each in events:
        print(Topics().event(each), Topics().event(each) in addresses)
    pit.ledger.close()
""",
    printed=(
        "tablewire.payout.held {'payout': 1, 'amount_cents': 500}\n"
        "tablewire/house/event/payout.held True\n"
    ),
    generators=("tabletools.cms.documents",),
    tests=(TEST,),
)
