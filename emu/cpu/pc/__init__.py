# SPDX-License-Identifier: GPL-2.0-only
"""A PC: what an unmodified operating system for it expects of a board (docs/pc.md)."""

from emu.cpu.pc.pc import EPOCH, PC_ARCH, Pc

__all__ = ["EPOCH", "PC_ARCH", "Pc"]
