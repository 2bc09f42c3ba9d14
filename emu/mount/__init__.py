# SPDX-License-Identifier: GPL-2.0-only
"""A machine's tracefs as a folder of the host, by FUSE, for programs like trace-cmd.

>>> with Mounted(machine, Path("t")) as mounted:
...     machine.run("ls /bin", meanwhile=mounted.serve)
"""

from emu.mount.mounted import CannotMount, Mounted, check
from emu.mount.namespace import inside, own_tree

__all__ = ["CannotMount", "Mounted", "check", "inside", "own_tree"]
