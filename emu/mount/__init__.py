# SPDX-License-Identifier: GPL-2.0-only
"""A machine's tracefs as a folder of the host, by FUSE, for programs like trace-cmd.

>>> with Mounted(machine, Path("t")) as mounted:
...     machine.run("ls /bin", meanwhile=mounted.serve)
"""

from emu.mount.mounted import CannotMount, Mounted
from emu.mount.own_files import OWN

__all__ = ["OWN", "CannotMount", "Mounted"]
