# SPDX-License-Identifier: GPL-2.0-only
"""emu sweep: a command over seeds, CPUs, tracers and other parameters; what is measured is a table."""

from emu.cli.sweep.command import sweep
from emu.cli.sweep.plan import sweep_units

__all__ = ["sweep", "sweep_units"]
