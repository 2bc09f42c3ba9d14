# SPDX-License-Identifier: GPL-2.0-only
"""A machine's tracefs as a folder of the host, by FUSE, for programs like trace-cmd.

>>> from emu.mount.mounted import Mounted
>>> with Mounted(machine, Path("t")) as mounted:
...     machine.run("ls /bin", meanwhile=mounted.serve)
"""
