# SPDX-License-Identifier: GPL-2.0-only
"""Long runs: everything at once for billions of instructions, and files and system calls made to break the kernel.

`make soak` runs all of it, which takes a while; `tests/test_soak.py` runs a tenth.
"""

from __future__ import annotations

import importlib

__all__ = ["FILES", "INSTRUCTIONS", "SYSTEM_CALLS", "fuzz"]

INSTRUCTIONS = 5_000_000_000  # of a stress run
FILES = 10_000  # mutated programs; modules; file systems
SYSTEM_CALLS = 1_000_000


def fuzz(name: str, count: int, seed: int, arch: str) -> list[object]:
    """Runs one of the fuzzers of `tests.fuzz`, and returns what the guest did not survive."""
    return list(importlib.import_module(f"tests.fuzz.{name}").run(count, seed, arch).failures)
