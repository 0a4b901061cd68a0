"""The drivers: the only folder that imports `machine`."""
