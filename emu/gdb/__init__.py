# SPDX-License-Identifier: GPL-2.0-only
"""GDB's remote serial protocol: an unmodified gdb debugs a whole machine, forward and backward. Its threads are the CPUs."""

from __future__ import annotations

from pathlib import Path

from emu.gdb.server import Server

__all__ = ["GDB_SCRIPT", "Server"]

GDB_SCRIPT = Path(__file__).with_name("emu.gdb")
"""What gdb sources, so that it knows what tracing does to stacks."""
