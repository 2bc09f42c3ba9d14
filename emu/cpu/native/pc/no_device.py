# SPDX-License-Identifier: GPL-2.0-only
"""Physical addresses at which a PC has nothing: all bits are set, and what is written is lost."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu, Uc
from emu.native.functions import callback
from emu.native.records import u32, u64

__all__ = ["read", "write"]

ALL_ONES = u64(0xFFFF_FFFF_FFFF_FFFF)


@callback
def read(uc: Uc, offset: u64, width: u32, cpu: Cpu) -> u64:
    return ALL_ONES


@callback
def write(uc: Uc, offset: u64, width: u32, value: u64, cpu: Cpu) -> None:
    return
