# SPDX-License-Identifier: GPL-2.0-only
"""The differences between traces: calls that appeared, vanished, became more or fewer, slower or faster."""

from emu.trace.comparison.changes import By, Chance, Change, Comparison, compare
from emu.trace.comparison.runs import CannotCompare

__all__ = ["By", "CannotCompare", "Chance", "Change", "Comparison", "compare"]
