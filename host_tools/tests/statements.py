"""Engines that share SQLAlchemy's compiled statements: each test has its own engine, and compiling
them again took a third of its time.
"""

from tabletools.store import engine


def compiled_once(monkeypatch):
    """Let every engine made from now on use the statements compiled by the first of its kind."""
    make, first = engine.create_engine, {}

    def create_engine(url, **options):
        engine = make(url, **options)
        first_engine = first.get(engine.dialect.name)
        if (
            first_engine is None or first_engine.dialect.server_version_info is None
        ):  # it never was connected
            first[engine.dialect.name] = engine
        else:
            engine.dialect = engine.pool._dialect = first_engine.dialect
            engine._compiled_cache = first_engine._compiled_cache
        return engine

    monkeypatch.setattr(engine, "create_engine", create_engine)
