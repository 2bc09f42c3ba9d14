# SPDX-License-Identifier: GPL-2.0-only
"""The order of the tests: a plugin of pytest.

Each of two processes begins with one half of the tests. Without a cache, both would first compile the same functions. So the
second half begins with tests that take long and compile nothing.
"""

from __future__ import annotations

import pytest

COMPILES_NOTHING = "tests/test_quality.py"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = [item for item in items if item.nodeid.startswith(COMPILES_NOTHING)]
    others = [item for item in items if not item.nodeid.startswith(COMPILES_NOTHING)]
    half = len(items) // 2
    items[:] = others[:half] + first + others[half:]
