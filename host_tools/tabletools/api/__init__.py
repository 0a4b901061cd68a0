"""The host on the web: HTTP API, live streams, accounts. The one room that knows FastAPI."""
