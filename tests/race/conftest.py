# SPDX-License-Identifier: GPL-2.0-only
"""Searches whose time limits do not depend on the host's speed."""

from __future__ import annotations

import pytest

from emu.race import limits


class Clock:
    """A clock that advances by a second each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that time limits are measured with."""
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    return clock
