# SPDX-License-Identifier: GPL-2.0-only
"""Native code's reads of a program's memory."""

from __future__ import annotations

import ctypes
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.ftrace.native import context, user_memory
from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.host_compiler import compile_static

PROGRAM_START = np.uint64(0x400000)  # of the guest's own programs

# Writes addresses of its memory to trace_marker, each after the digits that are there, or - if it cannot be read.
PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char constant[] = "1234567890123456";
static char variable[1 << 15] = "2234567890123456";

static char *pages(int permissions)
{
	return mmap(NULL, 1 << 16, permissions, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
	char stack[] = "3234567890123456";
	char *written = pages(PROT_READ | PROT_WRITE), *untouched = pages(PROT_READ | PROT_WRITE), *forbidden = pages(PROT_NONE);
	char *gone = pages(PROT_READ | PROT_WRITE), *dropped = pages(PROT_READ | PROT_WRITE);
	long page = getpagesize();
	int marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	char text[1000];

	strcpy(written, "4234567890123456");
	strcpy(written + page - 17, "5234567890123456");
	strcpy(gone, constant);
	munmap(gone, 1 << 16);
	strcpy(dropped, constant);
	madvise(dropped, 1 << 16, MADV_DONTNEED);
	int size = snprintf(text, sizeof text,
		"%s %p %s %p %s %p %s %p %s %p - %p - %p - %p - %p - 0x0 - 0x8 - 0xffffffff81000000 - 0xfffff80000002000 "
		"- 0x7fffffffffff - 0x800000000000 - 0x8000%.12jx - 0xffffffffffffffff",
		constant, constant, variable, variable, stack, stack, written, written, written + page - 17, written + page - 17,
		untouched, forbidden, gone, dropped, (uintmax_t)(uintptr_t)written);
	write(marker, text, size);
}
"""


def user_address(machine: Machine) -> Any:
    """The compiled function, for a machine's guest."""
    board = machine.board
    guest = machine.trace_array.recorder.globals.guest
    tables = importlib.import_module(f"emu.ftrace.native.arch.{board.arch.name}_user").PAGE_TABLES
    return user_memory.build(guest, context.build(guest), tables)


def test_a_program_s_memory_is_found_where_the_program_could_read_it(
    arch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_static(arch, PROGRAM, tmp_path / "program")
    written = []
    with Machine(arch=arch, cpus=2, shares=[Share(tmp_path, guest="/mnt")]) as machine:
        recorder, find = machine.trace_array.recorder, user_address(machine)

        def write_marker(text: bytes, newline: int | None = None) -> bool:
            """Reads the memory at the addresses in a marker, while the program waits in the system call."""
            records = machine.kernel.acting_cpu.record, recorder.globals.records.top
            cpu, array = (np.uint64(record.address) for record in records)
            words = text.rstrip(b"\n\0").split()
            for expected, address in zip(words[::2], words[1::2], strict=True):
                place = int(find(cpu, array, np.uint64(int(address, 16))))
                written.append((expected, ctypes.string_at(place, 16) if place else b"-", address))
            return True

        monkeypatch.setattr(recorder.host_events, "write_marker", write_marker)
        assert machine.run("/mnt/program").status == 0
    assert len(written) == 17
    assert [(expected, address) for expected, found, address in written if found != expected] == []


def test_a_kernel_thread_has_no_user_memory(machine: Machine) -> None:
    """It runs on the page tables of the previous program."""
    machine.run("true")
    recorder = machine.trace_array.recorder
    find, array = user_address(machine), np.uint64(recorder.globals.records.top.address)
    tasks, member = machine.kernel.tasks, machine.kernel.memory.member
    found = {bool(member(tasks.current(cpu), "task_struct.mm")): find(np.uint64(cpu.record.address), array, PROGRAM_START)
             for cpu in machine.board.cpus}  # fmt: skip
    assert found[True] and not found[False]
