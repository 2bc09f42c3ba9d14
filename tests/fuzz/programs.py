# SPDX-License-Identifier: GPL-2.0-only
"""Damaged programs: whatever execve makes of them, and whatever they then do, is nobody's business but their own."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.elf import Outcome, fuzz

__all__ = ["run"]


def run(count: int, seed: int, arch: str, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Has the kernel execute `count` damaged programs."""
    return fuzz("program", "/bin/true", "true", count, seed, arch, progress)
