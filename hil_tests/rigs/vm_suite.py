# mypy: ignore-errors
"""Runs a unittest module on the machine, one test at each call, so that garbage can go between.

The frozen unittest lacks some assertions of CPython's; they are added here.
"""

import io
import sys
import unittest

Case = unittest.TestCase
results = unittest.TestResult()


def _assertion(holds, words):
    def check(self, first, second, msg=None):
        assert holds(first, second), msg or f"{first!r} {words} {second!r}"

    return check


Case.assertLess = _assertion(lambda a, b: a < b, "is not less than")
Case.assertGreater = _assertion(lambda a, b: a > b, "is not greater than")
Case.assertNotIn = _assertion(lambda a, b: a not in b, "is in")
for _name in ("List", "Tuple", "Dict", "Set", "Sequence", "MultiLine"):
    setattr(Case, f"assert{_name}Equal", Case.assertEqual)


def failed(name, error):
    """Note a test that did not pass, with its traceback."""
    text = io.StringIO()
    sys.print_exception(error, text)
    results.failuresNum += 1
    results.failures.append(((name, ""), text.getvalue()))


def run_one(case, name, test):
    """Run a test between setUp and tearDown; sub-tests report to the results themselves."""
    results.testsRun += 1
    unittest.__test_result__ = results
    unittest.__current_test__ = (name, "")
    try:
        case.setUp() if hasattr(case, "setUp") else None
        try:
            test()
        finally:
            case.tearDown() if hasattr(case, "tearDown") else None
            case.doCleanups()
    except unittest.SkipTest:
        results.skippedNum += 1
    except Exception as error:
        failed(name, error)


def tests_of(name):
    """Import a module and yield after each of its tests."""
    module = __import__(name, None, None, ("*",))
    for class_name in sorted(dir(module)):
        test_class = getattr(module, class_name)
        if (
            not (isinstance(test_class, type) and issubclass(test_class, Case))
            or test_class is Case
        ):
            continue
        case = test_class()
        case.setUpClass() if hasattr(case, "setUpClass") else None
        for test in sorted(dir(case)):
            if test.startswith("test") and callable(getattr(case, test)):
                run_one(case, f"{name}.{class_name}.{test}", getattr(case, test))
                yield
        case.tearDownClass() if hasattr(case, "tearDownClass") else None


def step(tests):
    """Run the next test; print "end" when there is none."""
    try:
        next(tests)
    except StopIteration:
        print("end")


def report():
    """Print the counts, then every failure."""
    print(results.testsRun, results.skippedNum)
    for (name, *detail), text in results.errors + results.failures:
        print(name, *detail)
        print(text)
