# SPDX-License-Identifier: GPL-2.0-only
"""The list of the tests that take long."""

from __future__ import annotations

import re
from pathlib import Path

from tests.lib.cpu_times import MOST, MOST_OF_FIRST, long_ones
from tests.lib.long_tests import LIST

ROOT = Path(__file__).resolve().parents[2]


def test_the_cheapest_case_stays() -> None:
    seconds = {"a.py::one[x]": MOST + 0.1, "a.py::one[y]": MOST_OF_FIRST, "a.py::one[z]": MOST, "a.py::one@caches[x]": MOST + 0.2}
    assert long_ones(seconds) == ["a.py::one@caches[x]", "a.py::one[x]", "a.py::one[y]"]


def test_a_test_without_a_case_that_is_cheap_goes() -> None:
    others = {"a.py::two": 0.0, "a.py::three": MOST_OF_FIRST}
    seconds = {"a.py::one[x]": MOST_OF_FIRST + 1, "a.py::one[y]": MOST_OF_FIRST + 0.1, **others}
    assert long_ones(seconds) == ["a.py::one"]


def test_of_each_file_one_stays() -> None:
    assert long_ones({"a.py::one": 9.0, "a.py::two": 8.0, "b.py::one": 7.0}) == ["a.py::one"]


def test_what_is_listed_is_there() -> None:
    for test in LIST.read_text().splitlines():
        file, _, name = test.partition("::")
        function = re.match(r"\w+", name.rpartition("::")[2])
        assert function and f"def {function[0]}(" in (ROOT / file).read_text(), test
