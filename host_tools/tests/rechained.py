"""The owner of a database computes its whole chain again, so that it agrees with the rows."""

import json

from host_tools.tests.test_chain import owned
from tabletools.store import chain
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import chained, key_names


def rechain(place):
    """Compute every entry again; rows of no entry join the newest one."""
    with owned(place) as db:
        rows = {table.name: rows_of(db, table.name) for table in chained()}
        entries = db.execute("SELECT seq, at_ns, rows FROM chain ORDER BY seq").fetchall()
        parts = [json.loads(text) for _, _, text in entries]
        fill(parts, rows)
        before, links = chain.BEGINNING, []
        for (seq, at_ns, _), part in zip(entries, parts, strict=True):
            text = json.dumps(part, separators=(",", ":"))
            digest = chain.entry_digest(before, seq, at_ns, text)
            links.append((text, before, digest, seq))
            before = digest
        for text, _, digest, seq in links:
            unique = b"x" + seq.to_bytes(8)
            db.execute(
                "UPDATE chain SET rows = ?, previous = ?, digest = ? WHERE seq = ?",
                (text, unique, digest, seq),
            )
        for _, previous, _, seq in links:
            db.execute("UPDATE chain SET previous = ? WHERE seq = ?", (previous, seq))


def rows_of(db, name):
    """The rows of a table by their keys."""
    count = len(key_names(METADATA.tables[name]))
    query = f"SELECT {chain.columns(name)} FROM {name} t"
    return {tuple(row[:count]): tuple(row) for row in db.execute(query)}


def fill(parts, rows):
    """Make the entries say what the rows are."""
    for name, present in rows.items():
        covered = set()
        for part in reversed(parts):
            if name not in part:
                continue
            if name in APPEND_ONLY:
                keys = [key for key in chain.unpack_keys(part[name]["keys"]) if key in present]
                part[name] = appended(present, keys)
                covered.update(keys)
                if not keys:
                    del part[name]
                continue
            for place, (key, now, was) in enumerate(part[name]):
                if tuple(key) not in covered:
                    row = present.get(tuple(key))
                    now = None if row is None else chain.digest_of([row])
                covered.add(tuple(key))
                part[name][place] = [key, now, was]
        new = sorted(set(present) - covered)
        if new and name in APPEND_ONLY:
            before = chain.unpack_keys(parts[-1][name]["keys"]) if name in parts[-1] else []
            parts[-1][name] = appended(present, sorted([*before, *new]))
        elif new:
            rows_new = [[list(key), chain.digest_of([present[key]]), None] for key in new]
            parts[-1][name] = parts[-1].get(name, []) + rows_new


def appended(present, keys):
    """The part of an entry for rows of an append-only table."""
    return {
        "keys": chain.pack_keys(keys),
        "digest": chain.digest_of(present[key] for key in keys),
    }
