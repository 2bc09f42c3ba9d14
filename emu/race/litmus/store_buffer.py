# SPDX-License-Identifier: GPL-2.0-only
"""Store buffers: a CPU's stores reach memory later, one after another in program order; the CPU itself loads them at once."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MOST_STORES", "Buffer", "BufferedStore", "forwarded"]

MOST_STORES = 8
"""A CPU with so many stores in its buffer executes nothing until one of them is in memory: so endless loops have an end."""


class BufferedStore(NamedTuple):
    """A store, or the part of one that reaches memory at once.

    Attributes:
        address: the first byte.
        data: the bytes.
        own: whether it is a store to code that the CPU fetches behind a jump.
        jumped: whether the CPU has jumped since.
    """

    address: int
    data: bytes
    own: bool = False
    jumped: bool = False


Buffer = tuple[BufferedStore, ...]
"""A CPU's stores that are not in memory yet, the oldest first."""


def forwarded(memory: bytes, start: int, buffer: Buffer) -> bytes:
    """Memory from `start` on as the CPU with this buffer loads it."""
    for store in buffer:
        at = store.address - start
        if 0 <= at < len(memory):
            memory = memory[:at] + store.data + memory[at + len(store.data) :]
    return memory
