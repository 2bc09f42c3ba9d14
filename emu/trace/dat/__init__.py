# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's trace.dat files: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5)."""

from emu.trace.dat.open_dat import open_dat

__all__ = ["open_dat"]
