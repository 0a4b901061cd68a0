"""The device around the decisions: interface, drivers, app."""
