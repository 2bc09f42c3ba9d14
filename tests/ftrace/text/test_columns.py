# SPDX-License-Identifier: GPL-2.0-only
"""The letters and numbers that the goldens do not show."""

from __future__ import annotations

import pytest

from emu.ftrace.events import Flag
from emu.ftrace.text.columns import latency_flags


@pytest.mark.parametrize(
    ("flags", "letters"),
    [
        (Flag(0), "..."),
        (Flag.IRQS_OFF, "d.."),
        (Flag.IRQS_OFF | Flag.BH_OFF, "D.."),
        (Flag.BH_OFF, "b.."),
        (Flag.IRQS_NOT_KNOWN, "X.."),
        (Flag.IRQS_NOT_KNOWN | Flag.BH_OFF, "b.."),
        (Flag.NEED_RESCHED | Flag.PREEMPT_RESCHED, ".N."),
        (Flag.NEED_RESCHED, ".n."),
        (Flag.PREEMPT_RESCHED, ".p."),
        (Flag.HARDIRQ, "..h"),
        (Flag.SOFTIRQ, "..s"),
        (Flag.HARDIRQ | Flag.SOFTIRQ, "..H"),
        (Flag.NMI, "..z"),
        (Flag.NMI | Flag.SOFTIRQ, "..z"),
        (Flag.NMI | Flag.HARDIRQ, "..Z"),
        (Flag.NMI | Flag.HARDIRQ | Flag.SOFTIRQ, "..Z"),
    ],
)
def test_flags(flags: Flag, letters: str) -> None:
    assert latency_flags(flags, 0) == letters + ".."


@pytest.mark.parametrize(
    ("preempt_count", "digits"), [(0x00, ".."), (0x01, "1."), (0x0A, "a."), (0x20, ".2"), (0x31, "13")]
)
def test_preempt_depth_then_migrate_disable(preempt_count: int, digits: str) -> None:
    assert latency_flags(0, preempt_count) == "..." + digits
