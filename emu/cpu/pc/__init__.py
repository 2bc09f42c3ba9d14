# SPDX-License-Identifier: GPL-2.0-only
"""A PC: what an unmodified operating system for it expects of a board (docs/pc.md)."""

from emu.cpu.pc.pc import PC_ARCH, Pc

__all__ = ["PC_ARCH", "Pc"]
