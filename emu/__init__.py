# SPDX-License-Identifier: GPL-2.0-only
"""A deterministic, cycle-level emulator of a small SMP machine, with the whole of ftrace built in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emu.ftrace.errors import TraceError
    from emu.machine import BadImage, Completed, GuestPanic, LimitReached, Machine, PoweredOff, Share

__all__ = ["BadImage", "Completed", "GuestPanic", "LimitReached", "Machine", "PoweredOff", "Share", "TraceError"]


def __getattr__(name: str) -> Any:
    """Loads the machine, with numba and Unicorn, only for those who want it: `emu --help` does not."""
    if name in __all__:
        import emu.machine

        return getattr(emu.machine, name)
    raise AttributeError(f"module 'emu' has no attribute '{name}'")
