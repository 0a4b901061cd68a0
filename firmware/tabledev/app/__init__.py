"""The tasks of a controller: run rounds, send frames, obey commands, supervise itself."""
