"""The loops over pixels in the form that runs here: native code, or else bytecode of its source.

Native code has names of its own, ptr8 for bytes and ptr32 for an array of int, which without it
are the buffers themselves.
"""

try:
    from .loops import empty_grey_of, ends, grey_of, outside_of, rise_of, rises, runs, sample
except (NameError, SyntaxError):  # CPython; a port of MicroPython without native code

    def _plainly(path: str) -> None:
        with open(path) as file:
            source = file.read().replace("@micropython.viper", "")
        names = globals()
        names["ptr8"] = names["ptr32"] = lambda buffer: buffer
        exec(compile(source, path, "exec"), names)

    _plainly(__file__.rpartition("forms")[0] + "loops.py")

__all__ = ["empty_grey_of", "ends", "grey_of", "outside_of", "rise_of", "rises", "runs", "sample"]
