# SPDX-License-Identifier: GPL-2.0-only
<<<<<<< HEAD
"""An unmodified Linux kernel as the guest: finding, reading and fetching its image.

`arch` is the architecture on which Linux is booted. There is one.
"""

from emu.linux import x86_64 as arch

__all__ = ["arch"]
=======
"""The host's side of an unmodified Linux."""
>>>>>>> bb667d41 (The host's side of the channel to a Linux guest's agent, and its tests)
