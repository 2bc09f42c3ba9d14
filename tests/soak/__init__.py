# SPDX-License-Identifier: GPL-2.0-only
"""Long runs: everything at once for billions of instructions, and files and system calls made to break the kernel.

`make soak` runs all of it, which takes a while; `tests/test_soak.py` runs a tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.fuzz import ext2, modules, programs, syscalls

__all__ = ["FILES", "FUZZERS", "INSTRUCTIONS", "SYSTEM_CALLS"]

INSTRUCTIONS = 5_000_000_000  # of a stress run
FILES = 10_000  # mutated programs; modules; file systems
SYSTEM_CALLS = 1_000_000


def _syscalls(count: int, seed: int, arch: str) -> Sequence[object]:
    syscalls.run(count, seed, arch)
    return []


# Given how many, a seed and an architecture, each returns what the guest did not survive. How many there are in all.
FUZZERS: dict[str, tuple[Callable[[int, int, str], Sequence[object]], int]] = {
    "programs": (lambda count, seed, arch: programs.run(count, seed, arch).findings, FILES),
    "modules": (lambda count, seed, arch: modules.run(count, seed, arch).findings, FILES),
    "ext2": (lambda count, seed, arch: ext2.run(count, seed, arch).failures, FILES),
    "syscalls": (_syscalls, SYSTEM_CALLS),
}
