"""The loops over pixels in the form that runs here: native code, or else the plain one."""

try:
    from .fast_loops import ends, rises, runs, sample
except (ImportError, NameError, SyntaxError, ValueError):  # no native code here
    from .loops import ends, rises, runs, sample

__all__ = ["ends", "rises", "runs", "sample"]
