"""The duties of a controller: keep rounds, send frames, obey commands, watch itself."""
