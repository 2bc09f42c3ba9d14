# SPDX-License-Identifier: GPL-2.0-only
"""Tests that take long: a plugin of pytest.

The suite has six minutes. What is marked `long(why)` is not in it; `pytest --long`, which `make soak` calls, runs it with the
others. `long(why, arch=NAME)` leaves out one architecture's, where the other one's shows nearly the same.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what is marked long, too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long(why, arch=None): only --long runs it, or its part of an architecture")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    config.hook.pytest_deselected(items=[item for item in items if _is_long(item)])
    items[:] = [item for item in items if not _is_long(item)]


def _is_long(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    arch = callspec.params.get("arch") if callspec else None
    return any(mark.kwargs.get("arch") in (None, arch) for mark in item.iter_markers("long"))
