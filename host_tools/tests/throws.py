"""Throws for tests of the second reading: what the table sends, and the picture it keeps."""

import random
import struct
from binascii import crc32
from functools import cache

from sqlalchemy import select

from host_tools.tests.pit import BOOT, DEVICE, Pit
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice
from tabletools import evidence
from tabletools.evidence import Terms
from tabletools.evidence.stored_traces import Traces
from tabletools.link import Proof
from tabletools.money.outbox_queries import due
from tabletools.pit.second_reader import Inline, SecondReader
from tabletools.store.schema import evidence as evidence_tables
from tabletools.store.schema import play
from tablewire import settings
from tablewire.dice_tray import DICE_RESULT, LINE_ROW
from tablewire.messages import FINGERPRINTS, TRACE_CHUNK
from tablewire.sender import Sender
from tablewire.trace_file import FORMAT, HEAD, MAGIC

SIC_BO = Terms("sic_bo", "hc2023", None, {"minimum": 500}, dice_reading="both")
PROOF = Proof(1, BOOT, bytes(8), bytes(range(8)))
_END = 0xFE
_SIZE = 160, 120


@cache
def picture(seed, count=3):
    """What so many dice show and the frame of the tray's camera with them."""
    camera = TrayCamera(seed)
    dice = draw_dice(random.Random(seed), camera, count)
    return tuple(sorted(die.value for die in dice)), camera.expose(dice, 0).greys()


def faces(*values, frame, agreed=3):
    """The values of a dice_result of a valid throw. frame: the one looked at last."""
    values = [*sorted(values), *[0] * (6 - len(values))]
    return (*values, 900, 60, 3, 2400, agreed, 0, 40, crc32(frame))


def number(value):
    """A number of a trace, 0 or more (PROTOCOL.md, "Traces")."""
    data = [value & 63]
    value >>= 6
    while value:
        data[-1] |= 128
        data.append(value & 127)
        value >>= 7
    return bytes(data)


def trace(count, frame, *, device=DEVICE, firmware=(0, 0, 0), line=36, size=_SIZE):
    """The trace of a round that ended with a result: no event, and a frame behind it."""
    config = [max(low, 0) for low, _, _ in map(settings.limits, range(1, settings.COUNT + 1))]
    config[LINE_ROW - 1] = line
    head = struct.pack(HEAD, MAGIC, FORMAT, *firmware, device, BOOT, count, FINGERPRINTS[3])
    body = [number(len(config)), *map(number, config), number(0), number(0), bytes([_END])]
    body += [number(DICE_RESULT), number(0)]
    if frame is not None:
        body.append(struct.pack("<HH", *size) + frame)
    data = head + b"".join(body)
    return data + struct.pack("<I", crc32(data))


def chunks(count, data):
    """The frames that bring a trace."""
    sender = Sender(DEVICE, BOOT)
    places = range(0, max(len(data), 1), 192)
    parts = [(count, start, len(data), data[start : start + 192]) for start in places]
    return b"".join(sender.build(TRACE_CHUNK, part) for part in parts)


class Tray(Pit):
    """A table of Sic Bo whose host reads pictures too; money as in Pit."""

    def __init__(self, place, *, terms=SIC_BO, **more):
        super().__init__(place, terms=terms, **more)

    def attach(self, holder="host a"):
        super().attach(holder)
        self.pool = Inline()
        self.reader = SecondReader(self.ledger, self.intake, DEVICE, self.pool)

    def throw(self, count, values, *bets):
        """A round with bets, up to its result."""
        self.open(count)
        for bet in bets:
            self.place(*bet)
        self.close(count)
        return self.say(DICE_RESULT, values, count)

    def bring(self, count, data, proof=PROOF):
        """The trace of a round comes."""
        Traces(self.ledger).keep(DEVICE, count, chunks(count, data), proof)

    def look(self):
        """The host looks whether there is something to be read, 200 ms later."""
        self.clock.pass_ms(200)
        self.lease = self.intake.lease = evidence.renew(self.ledger, self.lease)
        self.reader.step()


def row(tray, count=1):
    """The row of a round."""
    with tray.ledger.read() as db:
        query = select(play.rounds).where(play.rounds.c.number == count)
        return db.execute(query).mappings().one()


def texts(tray, kind=None):
    """Of the alarms, all or of a kind."""
    with tray.ledger.read() as db:
        query = select(evidence_tables.alarms.c.text)
        if kind is not None:
            query = query.where(evidence_tables.alarms.c.kind == kind)
        return [*db.execute(query).scalars()]


def settled_events(tray):
    """That wait for a sink."""
    return [e for e in due(tray.ledger, "sink").events if e.type == "tablewire.round.settled"]
