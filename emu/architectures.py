# SPDX-License-Identifier: GPL-2.0-only
"""The architectures that emu has: names of modules, and values of `--arch`. The first one is the default."""

from __future__ import annotations

from typing import Final

__all__ = ["ARCHITECTURES", "DEFAULT_ARCHITECTURE"]

ARCHITECTURES: Final = ("x86_64", "sparc64", "riscv64")
DEFAULT_ARCHITECTURE: Final = ARCHITECTURES[0]
