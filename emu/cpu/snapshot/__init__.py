# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of a machine: pages copied on write, CPUs, records, and the Python objects that belong to it.

`Checkpoints` keeps everything, for whoever goes back once in a while. `Snapshots` keeps what one window of a run changes,
for whoever goes back thousands of times a second.
"""

from emu.cpu.snapshot.checkpoints import Checkpoint, Checkpoints
from emu.cpu.snapshot.kinds import Unsaveable
from emu.cpu.snapshot.window import Snapshots, State, WorkingSet

__all__ = ["Checkpoint", "Checkpoints", "Snapshots", "State", "Unsaveable", "WorkingSet"]
