"""What the emulators of every role share."""
