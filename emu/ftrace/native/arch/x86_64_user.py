# SPDX-License-Identifier: GPL-2.0-only
"""Programs on x86-64."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native.user_memory import PageTables

__all__ = ["PAGE_TABLES"]

_PRESENT, _USER, _LARGE = 1, 4, 0x80

# Intel SDM volume 3, 4.5
PAGE_TABLES = PageTables(
    levels=4,
    page_shift=np.uint64(12),
    index_bits=np.uint64(9),
    frame=np.uint64(0x000F_FFFF_FFFF_F000),
    table=np.uint64(_PRESENT | _USER),
    page=np.uint64(_PRESENT | _USER),
    privileged=np.uint64(0),
    large=np.uint64(_LARGE),
)
