"""Engines that share SQLAlchemy's compiled statements: each test has its own engine, and compiling
them again took a third of its time.
"""

from tabletools.store import engine


def compiled_once(monkeypatch):
    """Let every engine made from now on use the statements compiled by the first of its kind."""
    make, first = engine.create_engine, {}

    def create_engine(url, **options):
        made = make(url, **options)
        kept = first.get(made.dialect.name)
        if kept is None or kept.dialect.server_version_info is None:  # it never was connected
            first[made.dialect.name] = made
        else:
            made.dialect = made.pool._dialect = kept.dialect
            made._compiled_cache = kept._compiled_cache
        return made

    monkeypatch.setattr(engine, "create_engine", create_engine)
