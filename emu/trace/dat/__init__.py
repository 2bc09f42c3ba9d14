# SPDX-License-Identifier: GPL-2.0-only
"""The files trace.dat of trace-cmd: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5)."""

from emu.trace.dat.open_dat import open_dat

__all__ = ["open_dat"]
