"""The wire as the device and the host run it: framing, codec, generated tables."""
