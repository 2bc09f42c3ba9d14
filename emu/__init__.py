# SPDX-License-Identifier: GPL-2.0-only
"""A deterministic emulator of a small SMP machine, with dynamic ftrace of its kernel's functions."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.ftrace.probes.host_probes import Hit, HostProbe
    from emu.machine import (
        BadCommand,
        BadImage,
        BadProtocol,
        Checkpoint,
        Completed,
        GuestPanic,
        LimitReached,
        LivePatch,
        Machine,
        PoweredOff,
        Share,
        TraceError,
    )

__all__ = [
    "BadCommand", "BadImage", "BadProtocol", "Checkpoint", "Completed", "GuestPanic", "Hit", "HostProbe", "LimitReached",
    "LivePatch", "Machine", "PoweredOff", "Share", "TraceError",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Imports a name's module when the name is first used. `emu --help` uses no name, so it loads neither numba nor Unicorn."""
    if name in __all__:
        module = "emu.ftrace.probes.host_probes" if name in ("Hit", "HostProbe") else "emu.machine"
        return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'emu' has no attribute '{name}'")
