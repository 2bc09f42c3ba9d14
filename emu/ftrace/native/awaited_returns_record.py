# SPDX-License-Identifier: GPL-2.0-only
"""The records of the calls whose returns probes await, kept by the host, shared by native code and Python."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u64

__all__ = ["ARGUMENTS", "BUCKETS", "MOST_AWAITED", "AwaitedReturn", "AwaitedReturns"]

MOST_AWAITED = 1 << 15
BUCKETS = 1 << 14  # a power of two
ARGUMENTS = 6  # words


class AwaitedReturn(Record):
    """A call. It is identified by number, from 1 on."""

    next: u64  # number of the next one in the same bucket, or of the next free one; 0: none
    rethook: u64  # address of the `Rethook`; 0: the probe is gone
    frame: u64  # where its return address is on the stack
    returns_to: u64
    function: u64
    task: u64  # guest address of the task_struct of the task that called
    arguments: Values[u64] = inline(ARGUMENTS)  # what it was called with, in registers


class AwaitedReturns(Record):
    """All of them: a hash table by `frame`."""

    free: u64  # number of a freed one; 0: none
    used: u64  # the highest number used so far
    count: u64  # how many there are
    buckets: Values[u64] = inline(BUCKETS)  # the number of the latest call in each; 0: none
    calls: Records[AwaitedReturn] = inline(MOST_AWAITED)
