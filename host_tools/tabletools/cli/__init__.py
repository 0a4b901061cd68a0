"""The command line `tabletool`: one file per command group."""
