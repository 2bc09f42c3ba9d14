# SPDX-License-Identifier: GPL-2.0-only
"""Searches whose limits of time do not depend on how fast the host is."""

from __future__ import annotations

import pytest

from emu.race import limits


class Clock:
    """A clock on which each look takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """What limits of time are measured by."""
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    return clock
