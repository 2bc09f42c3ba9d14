# SPDX-License-Identifier: GPL-2.0-only
"""Letters and numbers that the goldens do not contain."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from emu.ftrace.buffers.entries import Flag
from emu.ftrace.symbols import Symbol
from emu.ftrace.text.columns import SymbolNames, latency_flags
from emu.ftrace.words import Words


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


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({}, ["[unknown/kretprobe'd]", "arch_rethook_trampoline"]),
        ({"offset": True}, ["[unknown/kretprobe'd]", "arch_rethook_trampoline+0x5/0x6"]),
        ({"address": True}, ["[unknown/kretprobe'd] <0000000000000100>", "arch_rethook_trampoline <0000000000000105>"]),
    ],
)
def test_who_has_called_from_a_return_probes_trampoline_is_not_known(options: dict[str, bool], texts: list[str]) -> None:
    def lookup(addresses: list[int]) -> list[Symbol]:
        return [Symbol("arch_rethook_trampoline", int(address) - 0x100, 6) for address in addresses]

    view = SimpleNamespace(symbols=SimpleNamespace(lookup=lookup), words=Words())
    assert SymbolNames(view, **options).of(np.array([0x100, 0x105], np.uint64)) == texts
