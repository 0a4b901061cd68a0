"""Evidence files: rounds with all that proves them, checked without a database or a secret."""
