"""What a database has: tables, columns, keys, conditions, indexes, as plain values."""

from sqlalchemy import inspect

from tabletools.store.engine import VERSION_TABLE


def shape(db):
    """Every table with its columns, keys, conditions and indexes, on SQLite with its options."""
    look, tables = inspect(db), {}
    for name in look.get_table_names():
        if name == VERSION_TABLE:
            continue
        columns = [(c["name"], str(c["type"]), c["nullable"]) for c in look.get_columns(name)]
        parts = (
            look.get_pk_constraint(name),
            look.get_foreign_keys(name),
            look.get_unique_constraints(name),
            look.get_check_constraints(name),
            look.get_indexes(name),
        )
        tables[name] = (
            columns,
            str(parts[0]),
            *(sorted(map(described, part)) for part in parts[1:]),
        )
    if db.dialect.name == "sqlite":
        query = "SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main'"
        tables["options"] = sorted(map(tuple, db.exec_driver_sql(query)))
    return tables


def described(part):
    """A key, condition or index in words, with its condition."""
    options = {name: str(value) for name, value in part.get("dialect_options", {}).items()}
    return repr(part | {"dialect_options": options})
