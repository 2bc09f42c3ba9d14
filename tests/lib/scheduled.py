# SPDX-License-Identifier: GPL-2.0-only
"""A program for an x86-64 Linux that runs a command with a scheduling policy: its busybox has no chrt."""

from __future__ import annotations

import struct

__all__ = ["DEADLINE", "FIFO", "scheduled"]

FIFO, DEADLINE = 1, 6  # SCHED_ of include/uapi/linux/sched.h

_BASE, _HEADERS = 0x40_0000, 64 + 56
# sched_setattr(0, attr, 0); execve(argv[1], argv + 1, envp)
_CODE = bytes.fromhex(
    "b83a010000"  # mov $314, %eax
    "31ff"  # xor %edi, %edi
    "488d3524000000"  # lea attr(%rip), %rsi
    "31d2"  # xor %edx, %edx
    "0f05"  # syscall
    "85c0"  # test %eax, %eax
    "751a"  # jnz failed
    "488b0424"  # mov (%rsp), %rax
    "488b7c2410"  # mov 16(%rsp), %rdi
    "488d742410"  # lea 16(%rsp), %rsi
    "488d54c410"  # lea 16(%rsp, %rax, 8), %rdx
    "b83b000000"  # mov $59, %eax
    "0f05"  # syscall
    "0f0b"  # failed: ud2
)


def scheduled(policy: int, priority: int = 0, nanoseconds: tuple[int, int, int] = (0, 0, 0)) -> bytes:
    """The program: an ELF file whose arguments are the path of another program and its arguments.

    Args:
        policy: FIFO or DEADLINE.
        priority: of FIFO.
        nanoseconds: of DEADLINE: runtime, deadline, period.
    """
    attr = struct.pack("<IIQiIQQQ", 48, policy, 0, 0, priority, *nanoseconds)
    size = _HEADERS + len(_CODE) + len(attr)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, _BASE + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 4096)
    return header + segment + _CODE + attr
