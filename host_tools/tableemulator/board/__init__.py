"""The emulated board: Python modules for the host; *.mjs and vm/ are the machine that they run."""
