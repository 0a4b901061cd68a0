"""Everything of the device but the decisions: interface, drivers, app."""
