# SPDX-License-Identifier: GPL-2.0-only
"""GDB's remote serial protocol: an unmodified gdb debugs a whole machine, forward and backward. Its threads are the CPUs."""

from __future__ import annotations

from emu.gdb.server import Server

__all__ = ["Server"]
