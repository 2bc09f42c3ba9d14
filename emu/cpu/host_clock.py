# SPDX-License-Identifier: GPL-2.0-only
"""Hides the host's time from Unicorn, which chooses the size of its soft TLBs by it.

The size of a soft TLB determines which guest addresses are looked up again, and thus which entry of a software-filled TLB is
replaced next. So the guest would depend on the host's time. The library therefore gets a gettimeofday() that stands still.
"""

from __future__ import annotations

import functools

from emu.cpu import library_imports
from emu.cpu.native.host_clock import gettimeofday

__all__ = ["stop"]


@functools.cache
def stop() -> None:
    """Stops Unicorn's clock, once per process. Must be called before the first Uc is created.

    Raises:
        UnknownUnicorn: the library does not import gettimeofday.
    """
    library_imports.replace("gettimeofday", gettimeofday.address)
