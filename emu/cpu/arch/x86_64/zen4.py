# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 4: what differs from Zen 3.

Sources: [SOG] "Software Optimization Guide for the AMD Zen4 Microarchitecture", 57647; [P] a prototype was measured against a
Zen 4 that is no longer at hand. What has neither is as in Zen 3.
"""

from __future__ import annotations

from dataclasses import replace

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.timing.core import Cache, Operation, Tlb

__all__ = ["ZEN4"]

_SHIFT = 0b110

ZEN4 = replace(
    ZEN3,
    name="zen4",
    measured=False,
    window=200,  # [SOG] 2.10.1: 320 entries of the retire control unit; the part of them that is right for zen3
    forward=8,  # [P]
    renamed=frozenset(range(16)),  # [P]: any base register
    nops_fused=True,  # [SOG] 2.9.3
    operations={
        **ZEN3.operations,
        "bit_forward": Operation((_SHIFT,), 1, 2),  # [P]
        "bit_reverse": Operation((_SHIFT,), 1, 2),  # [P]
    },
    predictor=replace(
        ZEN3.predictor,
        indirect=4096,  # [SOG] 2.8.1.4: 3,072
        targets=8192,  # [SOG] 2.8.1.2: 1,536 and 7,168
    ),
    caches=replace(
        ZEN3.caches,
        l2=Cache(2048, 8),  # [SOG] 2.6.3: 1 MiB
        l2_hit=10,  # [SOG] 2.6.3: 14 and more from the address
        llc_hit=46,  # [SOG] 2.6.4: 50 on average
        dtlb=Tlb(1, 72),  # [SOG] 2.7.2
        l2_tlb=Tlb(256, 12),  # [SOG] 2.7.2: 3,072 entries
    ),
)
CORE = ZEN4
