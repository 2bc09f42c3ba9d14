# SPDX-License-Identifier: GPL-2.0-only
"""Programs on SPARC V9."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native.user_memory import PageTables

__all__ = ["PAGE_TABLES"]

_VALID, _PRIVILEGED = 1 << 63, 1 << 2

# The tables are the guest kernel's own (asm/pgtable.h): an entry is what the TLB takes (UltraSPARC User's Manual, 6.2), or the
# physical address of a table.
PAGE_TABLES = PageTables(
    levels=3,
    page_shift=np.uint64(13),
    index_bits=np.uint64(10),
    frame=np.uint64(0x1FF_FFFF_E000),
    table=np.uint64(0),
    page=np.uint64(_VALID),
    privileged=np.uint64(_PRIVILEGED),
    large=np.uint64(0),
)
