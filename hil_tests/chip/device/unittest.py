# mypy: ignore-errors
"""The part of unittest that the shared tests use, for a MicroPython that has none frozen.

hil_tests/rigs/vm_suite.py runs the tests and counts; this has the assertions.
"""


class TestResult:
    """What a run found."""

    def __init__(self):
        self.testsRun = self.failuresNum = self.skippedNum = 0
        self.errors = []
        self.failures = []


class SkipTest(Exception):
    """A test that cannot run here."""


class _Raises:
    def __init__(self, expected):
        self._expected = expected
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.exception = error
        assert error is not None, f"{self._expected} not raised"
        return isinstance(error, self._expected)


class _SubTest:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class TestCase:
    """Assertions of a test."""

    def subTest(self, msg=None, **params):
        return _SubTest()

    def doCleanups(self):
        pass

    def fail(self, msg=None):
        raise AssertionError(msg)

    def assertEqual(self, first, second, msg=None):
        assert first == second, msg or f"{first!r} vs (expected) {second!r}"

    def assertNotEqual(self, first, second, msg=None):
        assert first != second, msg or f"{first!r} is equal to {second!r}"

    def assertTrue(self, value, msg=None):
        assert value, msg or f"{value!r} is not true"

    def assertFalse(self, value, msg=None):
        assert not value, msg or f"{value!r} is true"

    def assertIs(self, first, second, msg=None):
        assert first is second, msg or f"{first!r} is not {second!r}"

    def assertIsNone(self, value, msg=None):
        assert value is None, msg or f"{value!r} is not None"

    def assertIn(self, member, container, msg=None):
        assert member in container, msg or f"{member!r} is not in {container!r}"

    def assertRaises(self, expected, function=None, *args):
        raises = _Raises(expected)
        if function is None:
            return raises
        with raises:
            function(*args)
        return None


def main():
    """Nothing: the tests are run one by one."""
