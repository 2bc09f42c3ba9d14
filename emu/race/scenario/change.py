# SPDX-License-Identifier: GPL-2.0-only
"""What a scenario changes."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Change"]


class Change(StrEnum):
    """Which instruction becomes which."""

    NOP_TO_CALL = "nop > call"
    CALL_TO_CALL = "call > call"  # another function
    CALL_TO_NOP = "call > nop"
    NOPS_TO_CALL = "nops > call"  # two instructions, as long as one call
