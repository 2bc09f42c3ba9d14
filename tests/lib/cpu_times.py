# SPDX-License-Identifier: GPL-2.0-only
"""How much processor time each test takes: a plugin of pytest; and the list of the tests that take long.

    ./venv pytest --long --times=FILE               measures all tests
    ./venv python -m tests.lib.cpu_times FILE      makes long_tests.txt of it

A test that takes more than MOST seconds is listed. But of a test's cases the cheapest stays in the suite if it takes no more than
MOST_OF_FIRST (the cheapest on architectures all of whose tests the suite runs), and of each file the cheapest test stays in any
case. Parts of the soak have no such exceptions.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.long_tests import LIST, PARTS, function_of

MOST, MOST_OF_FIRST = 0.2, 0.5  # seconds
# These stay however long they take.
KEPT = ("tests/test_quality.py", "tests/traces/", "tests/ftrace/test_ring_buffer.py", "tests/ftrace/test_array_buffers.py")
SOAK = "tests/soak/"

_BEGUN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", metavar="FILE", help="write the seconds of processor time that each test takes, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--times"):
        config.pluginmanager.register(_Times(config))


class _Times:
    """Measures in the process that runs a test, and collects in the one that began them all."""

    def __init__(self, config: pytest.Config) -> None:
        self._file = None if hasattr(config, "workerinput") else Path(config.getoption("--times"))
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        item.stash[_BEGUN] = _processor_time()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, object, object]:
        if call.when == "teardown":
            item.user_properties.append(("seconds", _processor_time() - item.stash[_BEGUN]))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self._seconds[report.nodeid] = dict(report.user_properties)["seconds"]

    def pytest_sessionfinish(self) -> None:
        if self._file is not None:
            self._file.write_text(json.dumps(self._seconds, indent=0))


def _processor_time() -> float:
    """Seconds, of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def long_ones(seconds: Mapping[str, float]) -> list[str]:
    """The tests to list, by the seconds that each takes: functions of which all cases take long, and cases."""
    cases: dict[str, list[str]] = defaultdict(list)
    for test in sorted(seconds, key=lambda test: (any(name in test for name in PARTS), seconds[test], test)):
        cases[function_of(test)].append(test)
    listed = {test for first, *others in cases.values() for test in others if seconds[test] > MOST}
    listed |= {first for first, *_ in cases.values() if seconds[first] > (MOST if first.startswith(SOAK) else MOST_OF_FIRST)}
    files: dict[str, list[str]] = defaultdict(list)
    for test in seconds:
        files[test.partition("::")[0]].append(test)
    for tests in files.values():
        if listed.issuperset(tests) and not tests[0].startswith(SOAK):
            listed.remove(min(tests, key=lambda test: (seconds[test], test)))
    listed = {test for test in listed if not test.startswith(KEPT)}
    whole = {function for function, tests in cases.items() if listed.issuperset(tests)}
    return sorted(whole | {test for test in listed if function_of(test) not in whole})


def main(arguments: Sequence[str]) -> None:
    (measured,) = arguments
    tests = long_ones(json.loads(Path(measured).read_text()))
    LIST.write_text("".join(f"{test}\n" for test in tests))


if __name__ == "__main__":
    main(sys.argv[1:])
