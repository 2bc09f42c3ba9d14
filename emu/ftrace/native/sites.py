# SPDX-License-Identifier: GPL-2.0-only
"""What a trace array wants of the sites that call."""

from __future__ import annotations

from emu.ftrace.native import array_record
from emu.native import njit
from emu.native.pointers import load_u8, load_u64

__all__ = ["site_flags"]


@njit
def site_flags(array, ip):
    """What is wanted at a site; nothing at an address that can be none."""
    place = ip - load_u64(array + array_record.KERNEL_START)
    if place >= load_u64(array + array_record.SITE_FLAGS_SIZE):
        return array_record.NO_SITE_FLAGS
    return load_u8(load_u64(array + array_record.SITE_FLAGS) + place)
