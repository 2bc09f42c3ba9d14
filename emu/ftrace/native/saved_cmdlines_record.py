# SPDX-License-Identifier: GPL-2.0-only
"""The table of names for `saved_cmdlines`: a ring of (pid, name), in which a pid's new name replaces its old one."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u8, u32, u64

PIDS = 32_768  # Linux's PID_MAX_DEFAULT: pids that are equal modulo this share an index entry
NAME_SIZE = 16  # bytes, with the NUL


class SavedName(Record):
    """The name of one pid."""

    pid: u64
    name: Values[u8] = inline(NAME_SIZE)


class SavedCmdlines(Record):
    """The table."""

    names: Records[SavedName]
    capacity: u64
    begun: u64  # number of names ever added
    index: Values[u32]  # for each of PIDS: its index in `names`, plus one; 0: none
