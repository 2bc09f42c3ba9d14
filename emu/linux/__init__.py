# SPDX-License-Identifier: GPL-2.0-only
"""An unmodified Linux on a PC: its kernel, its boot, its commands (docs/linux.md).

`arch` is the architecture on which Linux is booted. There is one.
"""

from emu.linux import x86_64 as arch

__all__ = ["arch"]
