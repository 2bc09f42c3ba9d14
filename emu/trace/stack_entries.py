# SPDX-License-Identifier: GPL-2.0-only
"""The calls in an entry of kernel_stack."""

from __future__ import annotations

from emu.ftrace.words import Words

__all__ = ["callers"]


def callers(data: bytes, words: Words) -> list[int]:
    """The addresses in an entry from its field `caller` on, the innermost call's first.

    What follows the last one, if there is room, is the highest address.
    """
    found: list[int] = words.longs(data).tolist()
    return found[: found.index(words.highest)] if words.highest in found else found
