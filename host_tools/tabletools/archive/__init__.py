"""Archives of a ledger: months in signed Parquet, which prove themselves without the database."""
