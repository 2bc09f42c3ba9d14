# SPDX-License-Identifier: GPL-2.0-only
"""An unmodified Linux kernel as the guest: finding, reading and fetching its image.

`arch` is the architecture on which Linux is booted. There is one.
"""

from emu.linux import x86_64 as arch

__all__ = ["arch"]
