# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 kernels."""

from emu.kernel.arch import KernelArch

__all__ = ["ARCH"]

ARCH = KernelArch(elf_machine="EM_X86_64")
