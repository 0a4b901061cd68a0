"""The host on the web: HTTP API, live streams, accounts. The only package that uses FastAPI."""
