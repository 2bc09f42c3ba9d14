# SPDX-License-Identifier: GPL-2.0-only
"""The records of the files of which a program's code is part, and the kernel's structures that lead there."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.native.records import GuestRecord, Record, Records, inline, u64

__all__ = ["FILES", "AddressSpace", "FilePages", "Inode", "KnownFile", "Page"]

FILES = 1 << 12


class Page(GuestRecord):
    """struct page"""

    compound_head: u64
    mapping: u64
    index: u64


class AddressSpace(GuestRecord):
    """struct address_space"""

    host: u64


class Inode(GuestRecord):
    """struct inode"""

    i_mapping: u64
    i_ino: u64
    i_sb: u64


class KnownFile(Record):
    """A file."""

    inode: u64  # guest address; 0: the slot is free
    identity: u64  # tells it from an earlier file with an inode at this address
    number: u64  # 0: nobody listens to its instructions


class FilePages(Record):
    """All files that programs on the CPUs were found to execute: a hash table by `inode`."""

    pages: u64  # guest address of the struct page of the first page of RAM
    meet: Callable[[Cpu, u64], None]  # (cpu, inode): stores a file
    used: u64  # slots
    files: Records[KnownFile] = inline(FILES)
