# SPDX-License-Identifier: GPL-2.0-only
"""emu stat: counts of the CPUs while a command runs."""

from emu.cli.stat.command import stat

__all__ = ["stat"]
