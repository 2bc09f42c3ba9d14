# SPDX-License-Identifier: GPL-2.0-only
"""What only the model can do."""

from __future__ import annotations

from collections import Counter

from emu.race.machine.course import Course
from emu.race.protocol_steps import Free, WaitTasks
from emu.race.scenario import PLACES, Scenario

__all__ = ["unsupported"]
