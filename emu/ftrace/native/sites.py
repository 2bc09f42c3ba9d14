# SPDX-License-Identifier: GPL-2.0-only
"""The flags that say what a trace array wants at a site."""

from __future__ import annotations

from emu.ftrace.native import array_record
from emu.native import njit
from emu.native.pointers import load_u8, load_u64

__all__ = ["site_flags"]


@njit
def site_flags(array, ip):
    """The array's flags for the site at `ip`; no flags if `ip` is outside the kernel mapping."""
    place = ip - load_u64(array + array_record.TEXT_START)
    if place >= load_u64(array + array_record.TEXT_SIZE):
        return array_record.NO_SITE_FLAGS
    return load_u8(load_u64(array + array_record.SITE_OPS) + place)
