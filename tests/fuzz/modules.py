# SPDX-License-Identifier: GPL-2.0-only
"""Damaged modules.

They are loaded with the parameter `load_only`: everything that looks at the file is done, and undone where the module's
init would be called. What damaged code does when it runs says nothing about the loader.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.elf import Outcome, fuzz

__all__ = ["run"]


def run(count: int, seed: int, arch: str, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Gives the kernel `count` damaged modules; none may be more than refused, or loaded and taken back."""
    outcome = fuzz("module", "/lib/modules/sample_use.ko", "modprobe sample_export", count, seed, arch, progress)
    if outcome.killed:
        outcome.findings.append(f"{outcome.killed} tries were killed in the loader")
    return outcome
