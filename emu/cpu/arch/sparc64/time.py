# SPDX-License-Identifier: GPL-2.0-only
"""The costs of SPARC V9 instructions in the static model."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CYCLES"]

# The cycles of SPARC V9 instructions that take more than one (UltraSPARC-II User's Manual, 17).
CYCLES: Mapping[str, int] = {
    "mulx": 20, "sdivx": 70, "udivx": 70, "ta": 20, "cas": 20, "casx": 20, "ldstub": 20, "membar": 10, "flush": 20,
}  # fmt: skip
