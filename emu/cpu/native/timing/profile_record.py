# SPDX-License-Identifier: GPL-2.0-only
"""What counting by function works on (`emu.cpu.native.timing.profile`)."""

from __future__ import annotations

from emu.cpu.native.timing.record import COUNTERS
from emu.native.records import Record, Records, Values, inline, u8, u64

__all__ = ["COUNTED", "Key", "Profile", "ProfileTables", "ProfiledCpu", "Row"]

COUNTED = len(COUNTERS)


class Row(Record):
    """What was counted."""

    counts: Values[u64] = inline(COUNTED)
    cycles: u64
    instructions: u64


class Key(Record):
    """Of what is no function of the image: an address, or a name."""

    first: u64
    second: u64  # 0: no key is here


class ProfiledCpu(Record):
    row: Row  # of the function that it executes
    low: u64  # where that begins
    size: u64  # and its size; 0: it is not known what the CPU executes
    current_task: Values[u64]  # the word that says so in its struct pcpu_hot
    base: Row = inline()  # what it had counted when it came to that function


class Profile(Record):
    starts: Values[u64]  # the addresses at which the image's functions begin, ascending
    functions: u64  # how many there are; their rows come first
    end: u64  # where the last of them ends
    rows: Records[Row]
    keys: Records[Key]  # a hash table; each has a row
    key_mask: u64  # one less than the keys that there is room for: a power of two
    keys_used: u64
    cpus: Records[ProfiledCpu]
    user_end: u64  # the kernel's addresses begin here
    direct_start: u64  # a virtual address that maps physical 0
    ram: Values[u8]
    ram_size: u64
    comm: u64  # offset in struct task_struct


class ProfileTables(Record):
    """What a profile leads to. How large its parts are, who allocates it says."""

    cpus: Records[ProfiledCpu] = inline()
    keys: Records[Key] = inline()
    rows: Records[Row] = inline()  # of the image's functions, of keys, and of what there was no room for
