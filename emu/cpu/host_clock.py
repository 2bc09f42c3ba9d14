# SPDX-License-Identifier: GPL-2.0-only
"""Hides the host's time from Unicorn, which uses it to choose the size of its soft TLBs.

The size of a soft TLB decides which of the guest's addresses are looked up again, and so which entry a TLB that
software fills replaces next: the guest would depend on the host's time. So the library gets a gettimeofday() that stands still.
"""

from __future__ import annotations

import functools

from emu.cpu import library_imports
from emu.cpu.native.host_clock import gettimeofday

__all__ = ["stop"]


@functools.cache
def stop() -> None:
    """Stops Unicorn's clock, once for the process; called before the first Uc is made.

    Raises:
        UnknownUnicorn: the library does not import gettimeofday.
    """
    library_imports.replace("gettimeofday", gettimeofday.address)
