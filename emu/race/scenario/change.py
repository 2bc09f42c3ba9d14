# SPDX-License-Identifier: GPL-2.0-only
"""What a scenario changes."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Change"]


class Change(StrEnum):
    """Which code becomes which: the code before, and the code after.

    A *pair* is a call of two instructions: the first one prepares, and the second one calls.
    """

    NOP_TO_CALL = "nop > call"
    CALL_TO_CALL = "call > call"  # another function
    CALL_TO_NOP = "call > nop"
    NOPS_TO_CALL = "nops > call"  # two instructions, as long as one call
    NOPS_TO_PAIR = "nops > pair"  # two nops of a word each
    PAIR_TO_NOPS = "pair > nops"
    HALF_TO_PAIR = "half > pair"  # half a pair: its first instruction, which stays for ever, and a nop
    PAIR_TO_HALF = "pair > half"

    @property
    def before(self) -> str:
        return self.value.partition(" > ")[0]

    @property
    def after(self) -> str:
        return self.value.partition(" > ")[2]

    @property
    def of_a_pair(self) -> bool:
        return "pair" in (self.before, self.after)

    @property
    def from_call(self) -> bool:
        """Whether the code before calls."""
        return self.before in ("call", "pair")

    @property
    def to_call(self) -> bool:
        """Whether the code after calls."""
        return self.after in ("call", "pair")
