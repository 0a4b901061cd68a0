"""Texts of JSON in rows: no transaction that writes decodes one, and none is decoded in vain."""

import json
import threading

import pytest
from sqlalchemy import text

from tabletools.store import Store, documents
from tabletools.store.documents import NotDecoded, value_of


@pytest.fixture
def store(tmp_path):
    found = Store.open(tmp_path / "documents.db")
    yield found
    found.close()


def test_a_transaction_that_writes_is_carried_out_again_with_the_value(store):
    """Rolled back at an undecoded text; decoded outside a transaction; then carried out once."""
    seen = []

    def action(db):
        db.execute(text("UPDATE ledger_version SET version_num = version_num || '+'"))
        seen.append(db.execute(text("SELECT version_num FROM ledger_version")).scalar_one())
        return value_of('{"again": 7}')["again"]

    assert store.run(action) == 7
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert seen[0].endswith("+")
    assert not seen[0].endswith("++")
    assert store.run(lambda db: value_of('{"again": 7}')) == {"again": 7}
    assert len(seen) == 2  # known by now


def test_many_texts_at_once_cost_one_more_try(store):
    """More than are remembered, and some longer than those: all are known in the second."""
    texts = [json.dumps([number]) for number in range(documents._MOST + 100)]
    texts.append(json.dumps(["a" * documents._LONGEST]))
    tries = []

    def action(db):
        tries.append(1)
        try:
            return [value_of(each)[0] for each in texts]
        except NotDecoded as missing:
            raise NotDecoded(texts) from missing

    found = store.run(action)
    assert found[:-1] == list(range(documents._MOST + 100))
    assert (len(found[-1]), len(tries)) == (documents._LONGEST, 2)
    assert len(documents._known) <= documents._MOST


def test_a_transaction_that_reads_decodes_at_once(store):
    """Decoding blocks no one: another thread writes meanwhile."""
    with store.read(), documents.writing():
        with pytest.raises(NotDecoded):
            value_of('["read"]')
        other = threading.Thread(target=value_of, args=('["elsewhere"]',))
        other.start()
        other.join()
        assert value_of('["elsewhere"]') == ["elsewhere"]
    with store.read():
        assert value_of('["read"]') == ["read"]


def test_a_text_that_is_no_json_is_said_outside(store):
    """Somebody wrote into the row: the error comes up as it is, no transaction is open."""
    with pytest.raises(json.JSONDecodeError):
        store.run(lambda db: value_of("{torn"))
    assert not documents._here.is_writing


def test_the_watch_sees_what_it_is_for(store, json_while_writing):
    """Decoded in a transaction that writes: found; in one that reads, or in none: not."""
    with store.read():
        json.loads("1")
    store.run(lambda db: json.loads("[2]"))
    assert len(json_while_writing) == 1
    assert "test_the_watch_sees" in json_while_writing.pop()
