"""The tables of an inbox, version by version, and how to tell one from any other file.

Nothing is ever overwritten: a record, an alarm, a gap, a stop is a row that stays. Times are UTC
in nanoseconds since 1970; device times are estimates with their uncertainty beside them.
"""

# "tblw": marks the file as an inbox of this project.
APPLICATION_ID = 0x74626C77

_FIRST = """
CREATE TABLE boots (
    device INTEGER NOT NULL CHECK (device BETWEEN 0 AND 4294967295),
    boot INTEGER NOT NULL CHECK (boot BETWEEN 0 AND 4294967295),
    heard_ns INTEGER NOT NULL,
    newest INTEGER NOT NULL,        -- highest counter heard, of any frame
    reordered INTEGER NOT NULL,     -- records that came after a younger frame, not as a repeat
    zero_ns INTEGER,                -- UTC at uptime 0 as mapped last, NULL before any estimate
    uncertainty_ns INTEGER,
    drift_ppb INTEGER,              -- of the device against this host, positive: runs fast
    PRIMARY KEY (device, boot)
) STRICT, WITHOUT ROWID;

CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    type INTEGER NOT NULL,
    flags INTEGER NOT NULL,         -- as first received
    round INTEGER NOT NULL,
    uptime_ms INTEGER NOT NULL,
    payload TEXT NOT NULL CHECK (json_valid(payload)),  -- field: value as on the wire
    body BLOB NOT NULL,             -- header and payload, flag retransmitted cleared
    raw BLOB NOT NULL,              -- the frame as received first, delimiter included
    authentication TEXT NOT NULL CHECK (authentication IN ('none', 'unverified', 'verified')),
    received_ns INTEGER NOT NULL,
    device_ns INTEGER,              -- when the table made it, NULL if it cannot be told
    uncertainty_ns INTEGER CHECK ((uncertainty_ns IS NULL) = (device_ns IS NULL)),
    repeats INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, boot, counter),
    FOREIGN KEY (device, boot) REFERENCES boots
) STRICT;
CREATE INDEX records_by_type ON records (device, type, boot, counter);
CREATE INDEX records_by_round ON records (device, round);

CREATE TABLE rounds (
    device INTEGER NOT NULL,
    round INTEGER NOT NULL,
    opened INTEGER REFERENCES records,
    closed INTEGER REFERENCES records,
    ended INTEGER REFERENCES records,
    -- of the end. pending: something before it may still come; unexpected: never settled
    verdict TEXT NOT NULL CHECK (verdict IN ('running', 'pending', 'believed', 'unexpected')),
    PRIMARY KEY (device, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX rounds_pending ON rounds (device) WHERE verdict = 'pending';

CREATE TABLE alarms (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('conflict', 'unexpected', 'link_lost')),
    text TEXT NOT NULL,
    boot INTEGER,
    counter INTEGER,
    round INTEGER,
    raw BLOB,                       -- the frame refused, for a conflict
    body BLOB,
    repeats INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, kind, body)
) STRICT;

CREATE TABLE gaps (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL CHECK (last >= first),
    seen_ns INTEGER NOT NULL,
    closed_ns INTEGER,
    -- filled: the record came; nothing_waiting: the table says that no record waits, so what is
    -- missing was not durable, or somebody else acknowledged it
    closed_by TEXT CHECK (closed_by IN ('filled', 'nothing_waiting')),
    CHECK ((closed_ns IS NULL) = (closed_by IS NULL)),
    FOREIGN KEY (device, boot) REFERENCES boots
) STRICT;
CREATE INDEX gaps_open ON gaps (device, boot, first) WHERE closed_ns IS NULL;

CREATE TABLE tables (
    device INTEGER PRIMARY KEY,
    bets_open INTEGER NOT NULL CHECK (bets_open IN (0, 1)),
    cause TEXT NOT NULL,
    round INTEGER NOT NULL,
    since_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE stops (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    since_ns INTEGER NOT NULL,
    reason TEXT NOT NULL,
    alarm INTEGER NOT NULL REFERENCES alarms,
    released_ns INTEGER,
    released_why TEXT,
    CHECK ((released_ns IS NULL) = (released_why IS NULL))
) STRICT;
CREATE UNIQUE INDEX stops_standing ON stops (device) WHERE released_ns IS NULL;

CREATE TABLE clock_events (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER,                 -- NULL: this host's own clock
    boot INTEGER,
    kind TEXT NOT NULL CHECK (kind IN ('host_step', 'device_step')),
    step_ns INTEGER NOT NULL
) STRICT;

-- The only results a ledger may settle: whole, verified, not in test mode, table not stopped.
CREATE VIEW settleable AS
SELECT r.device, r.round, e.id AS record
FROM rounds r
JOIN records o ON o.id = r.opened
JOIN records c ON c.id = r.closed
JOIN records e ON e.id = r.ended
WHERE r.verdict = 'believed' AND e.type = 0x12
    AND o.authentication = 'verified' AND c.authentication = 'verified'
    AND e.authentication = 'verified' AND NOT ((o.flags | c.flags | e.flags) & 4)
    AND NOT EXISTS (
        SELECT 1 FROM stops s WHERE s.device = r.device AND s.released_ns IS NULL
    );
"""

_CONFIGURATION = """
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    author TEXT NOT NULL,
    command INTEGER NOT NULL,
    key INTEGER NOT NULL,           -- of the configuration, 0: all of them
    value INTEGER NOT NULL,
    outcome TEXT                    -- done, or why not; NULL: it never came to be known
) STRICT;

-- The records a table made for an order, by their identity: they may be collected later.
CREATE TABLE order_records (
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    ordered INTEGER NOT NULL REFERENCES orders,
    PRIMARY KEY (device, boot, counter)
) STRICT, WITHOUT ROWID;

-- Configuration values a table told when it was asked, where no record had told them.
CREATE TABLE readings (
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    key INTEGER NOT NULL,
    value INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    PRIMARY KEY (device, boot, counter)
) STRICT, WITHOUT ROWID;
"""

_TRACES = """
CREATE TABLE traces (
    device INTEGER NOT NULL,
    round INTEGER NOT NULL,
    data BLOB,                      -- as the table kept it, NULL: it has none
    received_ns INTEGER NOT NULL,
    PRIMARY KEY (device, round),
    FOREIGN KEY (device, round) REFERENCES rounds
) STRICT, WITHOUT ROWID;
"""

# Alarms of one more kind: tamper. SQLite changes no CHECK, so the table is made anew.
_TAMPER = """
CREATE TABLE alarms_2 (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('conflict', 'unexpected', 'link_lost', 'tamper')),
    text TEXT NOT NULL,
    boot INTEGER,
    counter INTEGER,
    round INTEGER,
    raw BLOB,                       -- the frame refused, for conflict and tamper
    body BLOB,
    repeats INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, kind, body)
) STRICT;
INSERT INTO alarms_2 SELECT * FROM alarms;
DROP TABLE alarms;
ALTER TABLE alarms_2 RENAME TO alarms;
"""

# Alarms of two more kinds: boot_fell, program.
_PROGRAM = """
ALTER TABLE records ADD COLUMN
    key_number INTEGER CHECK (key_number IS NULL OR authentication = 'verified');
-- When a live frame of the boot came after one of a higher boot, NULL: never. From then on its
-- records are kept and count for nothing.
ALTER TABLE boots ADD COLUMN fell_ns INTEGER;

CREATE TABLE alarms_3 (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN (
        'conflict', 'unexpected', 'link_lost', 'tamper', 'boot_fell', 'program'
    )),
    text TEXT NOT NULL,
    boot INTEGER,
    counter INTEGER,
    round INTEGER,
    raw BLOB,                       -- the frame refused, for conflict and tamper
    body BLOB,
    repeats INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, kind, body)
) STRICT;
INSERT INTO alarms_3 SELECT * FROM alarms;
DROP TABLE alarms;
ALTER TABLE alarms_3 RENAME TO alarms;

-- What tables answered when they were asked for the digest of their program.
CREATE TABLE attestations (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    -- rollback: a match with a release below one that matched before
    outcome TEXT NOT NULL CHECK (outcome IN ('match', 'mismatch', 'rollback', 'no_answer')),
    wanted INTEGER NOT NULL,        -- release of the manifest
    version TEXT NOT NULL,          -- of the manifest
    told INTEGER,                   -- release the table says it runs
    files INTEGER,
    bytes INTEGER,
    digest BLOB,
    authentication TEXT CHECK (authentication IN ('none', 'unverified', 'verified'))
) STRICT;
CREATE INDEX attestations_by_device ON attestations (device, outcome, wanted);
"""

# Results of every kind of table: an end that is no void.
_ANY_RESULT = """
DROP VIEW settleable;
CREATE VIEW settleable AS
SELECT r.device, r.round, e.id AS record
FROM rounds r
JOIN records o ON o.id = r.opened
JOIN records c ON c.id = r.closed
JOIN records e ON e.id = r.ended
WHERE r.verdict = 'believed' AND e.type <> 0x13
    AND o.authentication = 'verified' AND c.authentication = 'verified'
    AND e.authentication = 'verified' AND NOT ((o.flags | c.flags | e.flags) & 4)
    AND NOT EXISTS (
        SELECT 1 FROM stops s WHERE s.device = r.device AND s.released_ns IS NULL
    );
"""

# Records that are authentic and that the release which received them could not read. Until a newer
# one reads them or a person releases the table, no bets open and no round after them is judged.
# Alarms of any kind: `state` has the list.
_UNREAD = """
CREATE TABLE unread (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    type INTEGER NOT NULL,
    round INTEGER NOT NULL,
    problem TEXT NOT NULL,
    body BLOB NOT NULL,
    raw BLOB NOT NULL,
    authentication TEXT NOT NULL CHECK (authentication IN ('none', 'unverified', 'verified')),
    key_number INTEGER,
    received_ns INTEGER NOT NULL,
    closed_ns INTEGER,
    closed_by TEXT CHECK (closed_by IN ('read', 'released')),
    UNIQUE (device, boot, counter),
    CHECK ((closed_ns IS NULL) = (closed_by IS NULL))
) STRICT;
CREATE INDEX unread_open ON unread (device, boot, counter) WHERE closed_ns IS NULL;

CREATE TABLE alarms_4 (
    id INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    device INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    boot INTEGER,
    counter INTEGER,
    round INTEGER,
    raw BLOB,                       -- the frame refused, for conflict and tamper
    body BLOB,
    repeats INTEGER NOT NULL DEFAULT 0,
    UNIQUE (device, kind, body)
) STRICT;
INSERT INTO alarms_4 SELECT * FROM alarms;
DROP TABLE alarms;
ALTER TABLE alarms_4 RENAME TO alarms;
"""

# MIGRATIONS[n] turns version n into n + 1; version 0 is an empty file.
MIGRATIONS = (_FIRST, _CONFIGURATION, _TRACES, _TAMPER, _PROGRAM, _ANY_RESULT, _UNREAD)
VERSION = len(MIGRATIONS)
