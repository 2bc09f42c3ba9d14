# SPDX-License-Identifier: GPL-2.0-only
"""The run of a test file of this folder."""

from __future__ import annotations

import pytest

from tests.traces import run as runner


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.default_timing("that is what the commands show"))


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest) -> runner.Run:
    """The output of the module's COMMAND, and what the witness saw meanwhile."""
    return runner.run(request.module.COMMAND)
