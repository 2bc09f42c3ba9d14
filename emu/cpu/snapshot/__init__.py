# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of a machine: copy-on-write pages, CPUs, records, and the machine's Python objects.

`Checkpoints` saves everything, for going back occasionally. `Snapshots` saves what changes in one window of a run, for going
back thousands of times a second.
"""

from emu.cpu.snapshot.checkpoints import Checkpoint, Checkpoints, base_sizes
from emu.cpu.snapshot.kinds import Unsaveable
from emu.cpu.snapshot.window import Snapshots, State, WorkingSet

__all__ = ["Checkpoint", "Checkpoints", "Snapshots", "State", "Unsaveable", "WorkingSet", "base_sizes"]
