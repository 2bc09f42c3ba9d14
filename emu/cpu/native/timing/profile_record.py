# SPDX-License-Identifier: GPL-2.0-only
"""The data for counting each function (`emu.cpu.native.timing.profile`)."""

from __future__ import annotations

from emu.cpu.native.timing.record import COUNTERS
from emu.native.records import Record, Records, Values, inline, u8, u64

__all__ = ["COUNTED", "Key", "Profile", "ProfileTables", "ProfiledCpu", "Row"]

COUNTED = len(COUNTERS)


class Row(Record):
    """The counts."""

    counts: Values[u64] = inline(COUNTED)
    cycles: u64
    instructions: u64


class Key(Record):
    """The key of code outside the image: an address, or a name."""

    first: u64
    second: u64  # 0: the entry is free


class ProfiledCpu(Record):
    row: Row  # the row of the present function
    low: u64  # the start of that function
    size: u64  # and its size; 0: it is not known what the CPU executes
    current_task: Values[u64]  # the word in its struct pcpu_hot with the current task
    base: Row = inline()  # the counts when it reached that function


class Profile(Record):
    starts: Values[u64]  # start addresses of the image's functions, ascending
    functions: u64  # number of functions; their rows come first
    end: u64  # end of the last function
    rows: Records[Row]
    keys: Records[Key]  # a hash table; each key has a row
    key_mask: u64  # capacity minus one; the capacity is a power of two
    keys_used: u64
    cpus: Records[ProfiledCpu]
    user_end: u64  # first address of the kernel
    direct_start: u64  # virtual address at which physical 0 is mapped
    ram: Values[u8]
    ram_size: u64
    comm: u64  # offset in struct task_struct


class ProfileTables(Record):
    """The tables of a profile. Whoever allocates it determines their sizes."""

    cpus: Records[ProfiledCpu] = inline()
    keys: Records[Key] = inline()
    rows: Records[Row] = inline()  # for the image's functions, for keys, and for what found no room
