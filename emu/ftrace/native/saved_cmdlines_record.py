# SPDX-License-Identifier: GPL-2.0-only
"""The table of command names behind `saved_cmdlines`: a ring of (pid, name), in which a pid's new name replaces its old one."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u8, u32, u64

PIDS = 32_768  # Linux's PID_MAX_DEFAULT: pids share a place modulo this
NAME_SIZE = 16  # bytes, with the NUL


class SavedName(Record):
    """The name of one pid."""

    pid: u64
    name: Values[u8] = inline(NAME_SIZE)


class SavedCmdlines(Record):
    """The table."""

    names: Records[SavedName]
    capacity: u64
    begun: u64  # names ever begun
    index: Values[u32]  # of each of PIDS: its place in `names`, plus one; 0: none
